export interface ImageName {
  /** `docker.io` by default. */
  readonly registry: string
  /** Registry and path as given. */
  readonly repository: string
  /** The digest, otherwise the tag, otherwise `latest`. */
  readonly version: string
}

const host = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/i
const path = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/
const tag = /^\w[\w.-]{0,127}$/
const digest = /^sha256:[0-9a-f]{64}$/

/** null for an invalid name. The first part is a registry if it contains a dot or a port, or is `localhost`. */
export function parseImage(text: string): ImageName | null {
  const [named = '', itsDigest, ...rest] = text.split('@')
  const colon = named.lastIndexOf(':')
  const tagged = colon > named.lastIndexOf('/')
  const repository = tagged ? named.slice(0, colon) : named
  const itsTag = tagged ? named.slice(colon + 1) : 'latest'
  const first = repository.split('/')[0] ?? ''
  const hasRegistry = repository.includes('/') && (/[.:]/.test(first) || first === 'localhost')
  const itsPath = hasRegistry ? repository.slice(first.length + 1) : repository
  const good =
    rest.length === 0 &&
    text.length <= 512 &&
    (!hasRegistry || host.test(first)) &&
    path.test(itsPath) &&
    tag.test(itsTag) &&
    (itsDigest === undefined || digest.test(itsDigest))
  return good ? { registry: hasRegistry ? first : 'docker.io', repository, version: itsDigest ?? itsTag } : null
}

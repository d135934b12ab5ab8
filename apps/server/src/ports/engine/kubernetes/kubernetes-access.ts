import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { load } from 'js-yaml'
import { StartError } from '../../../start-error.ts'
import type { Target } from '../exchange.ts'

export interface Access {
  readonly target: Target
  /** Prefix of every path; empty, or with a leading slash only. */
  readonly path: string
  /** Reads token files for each call, because the cluster rotates tokens. */
  readonly headers: () => Record<string, string>
  readonly address: string
  /** When the token or certificate of the kubeconfig expires, ms since 1970; null: never, not known, or the cluster renews it. */
  readonly expiresAt: number | null
  /** The namespace of the platform's pod; null outside of a cluster. */
  readonly ownNamespace: string | null
}

type Fields = Readonly<Record<string, unknown>>

const account = '/var/run/secrets/kubernetes.io/serviceaccount'

/** `config`: the path of a kubeconfig; null for the service account of the platform's pod. @throws StartError */
export function openAccess(config: string | null): Access {
  return config === null ? ofOwnPod() : ofKubeconfig(config)
}

function ofOwnPod(): Access {
  try {
    const token = () => readFileSync(`${account}/token`, 'utf8').trim()
    token()
    const ownNamespace = readFileSync(`${account}/namespace`, 'utf8').trim()
    return accessOf('https://kubernetes.default.svc', { ca: readFileSync(`${account}/ca.crt`) }, token, {
      ownNamespace,
      expiresAt: null,
    })
  } catch {
    throw new StartError(
      'VEXIL_CONTAINER_PROVIDER=Kubernetes needs VEXIL_KUBERNETES_CONFIG, the path of a kubeconfig, or a pod with a service account.',
    )
  }
}

function ofKubeconfig(file: string): Access {
  try {
    const config = load(readFileSync(file, 'utf8')) as Fields
    const context = findNamed(config, 'contexts', config['current-context'], 'context')
    const cluster = findNamed(config, 'clusters', context.cluster, 'cluster')
    const user = findNamed(config, 'users', context.user, 'user')
    const foreign = ['exec', 'auth-provider', 'username'].find((name) => user[name] !== undefined)
    if (foreign) throw new Error(`it signs in by ${foreign}; a token or a certificate is needed`)
    const at = (path: unknown) => resolve(dirname(file), String(path))
    const bytes = (fields: Fields, name: string) =>
      fields[`${name}-data`]
        ? Buffer.from(String(fields[`${name}-data`]), 'base64')
        : fields[name]
          ? readFileSync(at(fields[name]))
          : undefined
    const tls = {
      ca: bytes(cluster, 'certificate-authority'),
      cert: bytes(user, 'client-certificate'),
      key: bytes(user, 'client-key'),
      rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
      ...(cluster['tls-server-name'] !== undefined && { servername: String(cluster['tls-server-name']) }),
    }
    const token = () =>
      user.tokenFile ? readFileSync(at(user.tokenFile), 'utf8').trim() : user.token ? String(user.token) : null
    token()
    return accessOf(String(cluster.server), tls, token, { ownNamespace: null, expiresAt: expiryOf(user, tls.cert) })
  } catch (error) {
    throw new StartError(`The kubeconfig ${file} (VEXIL_KUBERNETES_CONFIG) cannot be used: ${(error as Error).message}.`)
  }
}

/** The first of both. A token file is read for each call, so a new one replaces it. */
function expiryOf(user: Fields, certificate: Buffer | undefined): number | null {
  const times: number[] = []
  const claims = user.tokenFile || !user.token ? '' : (String(user.token).split('.')[1] ?? '')
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown }
    if (typeof exp === 'number') times.push(exp * 1000)
  } catch {
    // Not a JSON Web Token: its expiry is unknown.
  }
  try {
    if (certificate) times.push(new X509Certificate(certificate).validToDate.getTime())
  } catch {
    // The first connection reports a certificate that cannot be read.
  }
  return times.length > 0 ? Math.min(...times) : null
}

function accessOf(
  server: string,
  tls: object,
  token: () => string | null,
  more: Pick<Access, 'ownNamespace' | 'expiresAt'>,
): Access {
  if (!URL.canParse(server)) throw new Error(`"${server}" is no address of a server`)
  const { protocol, hostname, port, pathname } = new URL(server)
  const secure = protocol === 'https:'
  return {
    target: { secure, host: hostname.replace(/^\[|\]$/g, ''), port: port || (secure ? 443 : 80), agent: false, ...tls },
    path: pathname.replace(/\/$/, ''),
    headers: (): Record<string, string> => {
      const known = token()
      return known === null ? {} : { authorization: `Bearer ${known}` }
    },
    address: server,
    ...more,
  }
}

function findNamed(config: Fields, list: string, name: unknown, inner: string): Fields {
  const entries = Array.isArray(config?.[list]) ? (config[list] as Fields[]) : []
  const found = entries.find((entry) => entry.name === name)?.[inner]
  if (typeof found === 'object' && found !== null) return found as Fields
  throw new Error(`it has no ${inner} "${String(name)}"`)
}

/**
 * The network policies of the namespace, made where they are missing. Policies add up: none can forbid what another allows, so what pods may not
 * reach is in the exceptions of the one that lets them out, and every other policy of the namespace is looked at too.
 */
import { isIPv4 } from 'node:net'
import { type Range, rangeOf, within } from '../docker/address-range.ts'
import { type KubernetesApi, KubernetesRefusal, type Policy } from './kubernetes-api.ts'
import { challengePort, networkLabel } from './kubernetes-pod.ts'

/** Where clouds give secrets to any caller; the second is Alibaba's. */
const metadata = ['169.254.0.0/16', '100.100.100.200/32', 'fd00:ec2::254/128']
/** IPv6 addresses of the internet; there is no way out to others. */
const everywhere = ['0.0.0.0/0', '2000::/3']
const managed = { 'app.kubernetes.io/managed-by': 'vexil' }

export interface PolicyOptions {
  /** Ranges that pods may not reach. */
  readonly deny: readonly string[]
  /** Where the cluster's pods have their addresses; empty when that is not known. Their ports answer no pod from there. */
  readonly pods: readonly string[]
  /** The namespace of the platform, when it lives in the cluster. */
  readonly ownNamespace: string | null
}

export type { Policy }

type Block = { cidr: string; except?: string[] }

/** Metadata addresses are among them always. */
function deniedRanges({ deny, pods }: Pick<PolicyOptions, 'deny' | 'pods'>): string[] {
  return [...new Set([...deny, ...pods, ...metadata])]
}

/** Three: who may go out and where to, who may not at all, and who may come in. */
export function wantedPolicies(options: PolicyOptions): Policy[] {
  const denied = deniedRanges(options)
  const open = [{ key: networkLabel, operator: 'NotIn', values: ['Isolated'] }]
  const policy = (name: string, spec: Policy['spec']): Policy => ({ metadata: { name, labels: managed }, spec })
  return [
    policy('vexil-policy', {
      // What others start in the namespace is held too.
      podSelector: { matchExpressions: open },
      policyTypes: ['Egress'],
      egress: [{ to: blocksWithout(everywhere, denied) }],
    }),
    policy('vexil-isolated', { podSelector: { matchLabels: { [networkLabel]: 'Isolated' } }, policyTypes: ['Egress'] }),
    policy('vexil-ingress', {
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [{ from: playersOf(options), ports: [{ protocol: 'TCP', port: challengePort }] }],
    }),
  ]
}

function playersOf({ pods, ownNamespace }: PolicyOptions): object[] {
  const platform = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ownNamespace } } }
  return [...blocksWithout(['0.0.0.0/0', '::/0'], pods), ...(ownNamespace === null ? [] : [platform])]
}

function blocksWithout(cidrs: readonly string[], denied: readonly string[]): { ipBlock: Block }[] {
  return cidrs.map((cidr) => {
    const except = denied.filter((range) => within(rangeOf(range), rangeOf(cidr)))
    return { ipBlock: { cidr, ...(except.length > 0 && { except }) } }
  })
}

/**
 * Makes what is missing, and brings up to date what the platform made with other settings.
 * Returns `proven`, or a sentence what is in the way. @throws EngineError away
 */
export async function ensurePolicies(api: KubernetesApi, options: PolicyOptions): Promise<string> {
  const wanted = wantedPolicies(options)
  try {
    const found = await api.list('networkpolicies', {})
    for (const policy of wanted) await ensurePolicy(api, policy, found)
    return judge(await api.list('networkpolicies', {}), wanted, options)
  } catch (error) {
    if (!(error instanceof KubernetesRefusal)) throw error
    return `Not proven: cannot read or create the network policies: ${error.message}`
  }
}

async function ensurePolicy(api: KubernetesApi, wanted: Policy, found: readonly Policy[]): Promise<void> {
  const there = found.find(({ metadata }) => metadata.name === wanted.metadata.name)
  if (!there) {
    // Another node of the platform may make it at the same instant.
    await api.create('networkpolicies', wanted).catch((error) => {
      if (!(error instanceof KubernetesRefusal) || error.status !== 409) throw error
    })
  } else if (isOurs(there) && !same(there, wanted)) await api.replace('networkpolicies', wanted.metadata.name, wanted)
}

const isOurs = ({ metadata }: Policy) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'vexil'

/** The API adds nothing to a policy but absent lists, and may order keys as it likes. */
function same(one: Policy, other: Policy): boolean {
  return canonical(one.spec) === canonical(other.spec)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner,
  )
}

/** `proven` when our policies are as wanted, or as strict ones of an administrator, and no other lets pods reach what they must not. */
export function judge(found: readonly Policy[], wanted: readonly Policy[], options: PolicyOptions): string {
  const denied = deniedRanges(options).map(rangeOf)
  for (const { metadata, spec } of wanted) {
    const there = found.find((policy) => policy.metadata.name === metadata.name)
    if (!there) return `Not proven: the network policy ${metadata.name} is missing.`
    if (metadata.name !== 'vexil-policy' && !same(there, { metadata, spec }))
      return `Not proven: the network policy ${metadata.name} is not from the platform and differs from what it needs.`
  }
  const settled = wanted.filter((policy) =>
    found.some((there) => there.metadata.name === policy.metadata.name && same(there, policy)),
  )
  for (const policy of found) {
    if (settled.some(({ metadata }) => metadata.name === policy.metadata.name)) continue
    const hole = holeOf(policy, denied)
    if (hole) return `Not proven: the network policy ${policy.metadata.name} lets pods reach ${hole}.`
  }
  return 'proven'
}

/** What an administrator's policy allows that must not be; null for nothing. Its pods may be ours whatever it selects. */
function holeOf({ spec }: Policy, denied: readonly Range[]): string | null {
  for (const { to } of spec.egress ?? []) {
    if (!excludesIsolated(spec.podSelector)) return 'something from Isolated challenges, which may reach nothing'
    if (!to || to.length === 0) return 'everything'
    for (const { ipBlock } of to) {
      if (!ipBlock) return 'other pods'
      const open = denied.find((range) => reaches(ipBlock, range))
      if (open) return open.text
    }
  }
  return null
}

function excludesIsolated(selector: unknown): boolean {
  const { matchExpressions = [], matchLabels = {} } = (selector ?? {}) as {
    matchExpressions?: { key: string; operator: string; values?: string[] }[]
    matchLabels?: Record<string, string>
  }
  const label = matchLabels[networkLabel]
  return (
    (label !== undefined && label !== 'Isolated') ||
    matchExpressions.some(
      ({ key, operator, values }) => key === networkLabel && operator === 'NotIn' && values?.includes('Isolated'),
    )
  )
}

/** Does the block hold any address of the range that its exceptions do not take out? */
function reaches({ cidr, except = [] }: Block, range: Range): boolean {
  const block = rangeOf(cidr)
  const common = within(range, block) ? range : within(block, range) ? block : null
  return common !== null && !except.some((one) => within(common, rangeOf(one)))
}

/** Is the address one of those that pods may not reach? */
export function isDenied(address: string, options: Pick<PolicyOptions, 'deny' | 'pods'>): boolean {
  const one = rangeOf(`${address}/${isIPv4(address) ? 32 : 128}`)
  return deniedRanges(options).some((range) => within(one, rangeOf(range)))
}

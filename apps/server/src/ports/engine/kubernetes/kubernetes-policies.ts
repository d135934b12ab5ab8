/** Network policies of the namespace. They are additive, so denied ranges are exceptions of the policy that allows egress, and all other policies are checked too. */
import { isIPv4 } from 'node:net'
import { type Range, rangeOf, within } from '../docker/address-range.ts'
import { type KubernetesApi, KubernetesRefusal, type Policy } from './kubernetes-api.ts'
import { networkLabel, portNames } from './kubernetes-pod.ts'

/** Metadata services, which return credentials to any caller; the second range is Alibaba's. */
const metadata = ['169.254.0.0/16', '100.100.100.200/32', 'fd00:ec2::254/128']
/** The only IPv6 egress is to global unicast addresses. */
const everywhere = ['0.0.0.0/0', '2000::/3']
const managed = { 'app.kubernetes.io/managed-by': 'vexil' }

export interface PolicyOptions {
  readonly deny: readonly string[]
  /** Ranges of the cluster's pods, which may not connect to the port of a challenge; empty if unknown. */
  readonly pods: readonly string[]
  readonly ownNamespace: string | null
}

export type { Policy }

type Block = { cidr: string; except?: string[] }

function deniedRanges({ deny, pods }: Pick<PolicyOptions, 'deny' | 'pods'>): string[] {
  return [...new Set([...deny, ...pods, ...metadata])]
}

/** Three policies: egress, no egress for isolated pods, and ingress. */
export function wantedPolicies(options: PolicyOptions): Policy[] {
  const denied = deniedRanges(options)
  const open = [{ key: networkLabel, operator: 'NotIn', values: ['Isolated'] }]
  const policy = (name: string, spec: Policy['spec']): Policy => ({ metadata: { name, labels: managed }, spec })
  return [
    policy('vexil-policy', {
      // Also applies to pods that others start in the namespace.
      podSelector: { matchExpressions: open },
      policyTypes: ['Egress'],
      egress: [{ to: blocksWithout(everywhere, denied) }],
    }),
    policy('vexil-isolated', { podSelector: { matchLabels: { [networkLabel]: 'Isolated' } }, policyTypes: ['Egress'] }),
    policy('vexil-ingress', {
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [{ from: playersOf(options), ports: portNames.map((port) => ({ protocol: 'TCP', port })) }],
    }),
  ]
}

function playersOf({ pods, ownNamespace }: PolicyOptions): object[] {
  const platform = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ownNamespace } } }
  return [...blocksWithout(['0.0.0.0/0', '::/0'], pods), ...(ownNamespace === null ? [] : [platform])]
}

/** Without blocks that are denied as a whole: an exception of a policy must be smaller than its block. */
function blocksWithout(cidrs: readonly string[], denied: readonly string[]): { ipBlock: Block }[] {
  const left = cidrs.filter((cidr) => !denied.some((range) => within(rangeOf(cidr), rangeOf(range))))
  return left.map((cidr) => {
    const except = denied.filter((range) => within(rangeOf(range), rangeOf(cidr)))
    return { ipBlock: { cidr, ...(except.length > 0 && { except }) } }
  })
}

/** Creates missing policies and updates outdated ones of the platform. Returns `in place`, or a sentence that describes the problem. @throws EngineError unreachable */
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
    await api.create('networkpolicies', wanted).catch((error) => {
      if (!(error instanceof KubernetesRefusal) || error.status !== 409) throw error
    })
  } else if (isOurs(there) && !same(there, wanted)) await api.replace('networkpolicies', wanted.metadata.name, wanted)
}

const isOurs = ({ metadata }: Policy) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'vexil'

/** The API only adds absent lists to a policy, and may reorder keys. */
function same(one: Policy, other: Policy): boolean {
  return canonical(one.spec) === canonical(other.spec)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner,
  )
}

/** `in place` if our policies are as wanted, or equally strict ones of an administrator, and no other policy allows what must be denied. */
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
    const gap = gapOf(policy, denied)
    if (gap) return `Not proven: the network policy ${policy.metadata.name} lets pods reach ${gap}.`
  }
  return 'in place'
}

/** Describes what an administrator's policy allows but must not; null for nothing. It may apply to our pods whatever it selects. */
function gapOf({ spec }: Policy, denied: readonly Range[]): string | null {
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

function reaches({ cidr, except = [] }: Block, range: Range): boolean {
  const block = rangeOf(cidr)
  const common = within(range, block) ? range : within(block, range) ? block : null
  return common !== null && !except.some((one) => within(common, rangeOf(one)))
}

export function isDenied(address: string, options: Pick<PolicyOptions, 'deny' | 'pods'>): boolean {
  const one = rangeOf(`${address}/${isIPv4(address) ? 32 : 128}`)
  return deniedRanges(options).some((range) => within(one, rangeOf(range)))
}

/**
 * Enforces the network policies of the test cluster with iptables, as the API describes them, for IPv4 on one node. It replaces a network
 * plugin. Packets from the address of a pod that is not known yet are dropped, so a pod is never without its rules. The rules are in
 * `mangle`, which is evaluated before other rules accept a packet; addresses of services are already translated to those of pods there.
 */
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { askApi } from './api.ts'
import { addresses, env } from './place.ts'

/** Milliseconds. */
const lookPause = 200
/** Bits of a packet's mark: it is allowed; the rule that is being evaluated would allow it. */
const [allowed, maybe] = ['0x100', '0x200']

type Labels = Readonly<Record<string, string>>
interface Selector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[]
}
interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
  readonly podSelector?: Selector
  readonly namespaceSelector?: Selector
}
interface Port {
  readonly protocol?: string
  readonly port?: number | string
  readonly endPort?: number
}
interface Rule {
  readonly to?: readonly Peer[]
  readonly from?: readonly Peer[]
  readonly ports?: readonly Port[]
}
interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Labels }
}
export interface Pod extends Named {
  readonly spec: {
    readonly hostNetwork?: boolean
    readonly containers: readonly { readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[] }[]
  }
  readonly status: { readonly podIP?: string; readonly phase: string }
}
export interface Policy extends Named {
  readonly spec: {
    readonly podSelector: Selector
    readonly policyTypes?: readonly string[]
    readonly egress?: readonly Rule[]
    readonly ingress?: readonly Rule[]
  }
}
interface World {
  /** Pods with an address. */
  readonly pods: readonly Pod[]
  readonly policies: readonly Policy[]
  readonly namespaces: readonly Named[]
}

/** An absent selector selects nothing, an empty one everything. */
export function selects(selector: Selector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false
  const { matchLabels = {}, matchExpressions = [] } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const listed = key in labels && values.includes(labels[key] ?? '')
      if (operator === 'In') return listed
      if (operator === 'NotIn') return !listed
      return (operator === 'Exists') === key in labels
    })
  )
}

const directions = [
  { type: 'Egress', chain: 'OUT', own: '-s', other: '-d' },
  { type: 'Ingress', chain: 'IN', own: '-d', other: '-s' },
] as const
type Direction = (typeof directions)[number]

/** The rules of all pods, in the format of `iptables-restore`. */
export function rulesOf(world: World): string {
  const held = world.pods.flatMap((pod, i) =>
    directions.flatMap((direction) => {
      const policies = world.policies.filter((policy) => concerns(policy, pod, direction.type))
      return policies.length === 0 ? [] : [{ pod, direction, policies, chain: `VEXIL-${direction.chain}-${i}` }]
    }),
  )
  return [
    '*mangle',
    ':VEXIL-POD - [0:0]',
    ...held.map(({ chain }) => `:${chain} - [0:0]`),
    '-A VEXIL-POD -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN',
    ...held.map(({ pod, direction, chain }) => `-A VEXIL-POD ${direction.own} ${pod.status.podIP} -j ${chain}`),
    ...world.pods.map(({ status }) => `-A VEXIL-POD -s ${status.podIP} -j RETURN`),
    `-A VEXIL-POD -s ${addresses.pods} -j DROP`,
    ...held.flatMap(({ pod, direction, policies, chain }) => [
      ...policies.flatMap((policy) =>
        rulesIn(policy, direction).flatMap((rule) =>
          allow(chain, direction, placesOf(policy, rule, direction, world), rule, pod),
        ),
      ),
      `-A ${chain} -m mark ! --mark ${allowed}/${allowed} -j DROP`,
      `-A ${chain} -j MARK --set-xmark 0/${allowed}`,
    ]),
    'COMMIT',
    '',
  ].join('\n')
}

const rulesIn = ({ spec }: Policy, { type }: Direction) => (type === 'Egress' ? spec.egress : spec.ingress) ?? []

function concerns({ metadata, spec }: Policy, pod: Pod, type: string): boolean {
  // Without types: ingress always, egress if there are rules for it.
  const types = spec.policyTypes ?? ['Ingress', ...(spec.egress ? ['Egress'] : [])]
  return metadata.namespace === pod.metadata.namespace && types.includes(type) && selects(spec.podSelector, pod.metadata.labels)
}

interface Place {
  readonly range: string
  readonly except?: readonly string[]
}

/** Marks what one rule of a policy allows; another rule may still allow what an exception of this rule excludes. */
function allow(chain: string, { type, other }: Direction, places: readonly Place[], { ports = [{}] }: Rule, pod: Pod): string[] {
  const matches = ports.flatMap((port) => portsOf(port, type === 'Ingress' ? pod : null))
  return places.flatMap(({ range, except = [] }) => [
    ...matches.map((match) => `-A ${chain} ${other} ${range} ${match} -j MARK --set-xmark ${maybe}/${maybe}`),
    ...except.map((one) => `-A ${chain} ${other} ${one} -j MARK --set-xmark 0/${maybe}`),
    `-A ${chain} -m mark --mark ${maybe}/${maybe} -j MARK --set-xmark ${allowed}/${allowed}`,
    `-A ${chain} -j MARK --set-xmark 0/${maybe}`,
  ])
}

function placesOf(policy: Policy, rule: Rule, { type }: Direction, { pods, namespaces }: World): Place[] {
  const peers = (type === 'Egress' ? rule.to : rule.from) ?? []
  if (peers.length === 0) return [{ range: '0.0.0.0/0' }]
  return peers.flatMap(({ ipBlock, podSelector, namespaceSelector }): Place[] => {
    if (ipBlock) return ipBlock.cidr.includes(':') ? [] : [{ range: ipBlock.cidr, except: ipBlock.except ?? [] }]
    const inside = ({ metadata }: Named) =>
      namespaceSelector ? selects(namespaceSelector, metadata.labels) : metadata.name === policy.metadata.namespace
    const names = namespaces.filter(inside).map(({ metadata }) => metadata.name)
    return pods
      .filter(({ metadata }) => names.includes(metadata.namespace) && (!podSelector || selects(podSelector, metadata.labels)))
      .map(({ status }) => ({ range: `${status.podIP}/32` }))
  })
}

/** The arguments of iptables for a port. Names of ports are those of `pod`, the target. */
function portsOf({ protocol, port, endPort }: Port, pod: Pod | null): string[] {
  const ports = pod?.spec.containers.flatMap(({ ports = [] }) => ports) ?? []
  const number = typeof port === 'string' ? ports.find(({ name }) => name === port)?.containerPort : port
  if (port !== undefined && number === undefined) return []
  const match = number === undefined ? '' : ` --dport ${number}${endPort ? `:${endPort}` : ''}`
  return protocol === undefined && port === undefined ? [''] : [`-p ${(protocol ?? 'TCP').toLowerCase()}${match}`]
}

async function look(): Promise<World> {
  const list = async <T>(path: string) => (await askApi<{ items: T[] }>('GET', path)).items
  const [pods, policies, namespaces] = await Promise.all([
    list<Pod>('/api/v1/pods'),
    list<Policy>('/apis/networking.k8s.io/v1/networkpolicies'),
    list<Named>('/api/v1/namespaces'),
  ])
  const isPlaced = ({ spec, status }: Pod) => status.podIP && !spec.hostNetwork && !/Failed|Succeeded/.test(status.phase)
  return { pods: pods.filter(isPlaced), policies, namespaces }
}

function restore(input: string): void {
  const done = spawnSync('iptables-restore', ['-w', '5', '--noflush'], { input, encoding: 'utf8', env })
  if (done.status !== 0) throw new Error(`${done.stderr.trim()} in\n${input}`)
}

if (import.meta.main) {
  restore('*mangle\n:VEXIL-POD - [0:0]\n-I FORWARD -j VEXIL-POD\n-I INPUT -j VEXIL-POD\nCOMMIT\n')
  for (let last = ''; ; await sleep(lookPause))
    try {
      const rules = rulesOf(await look())
      if (rules !== last) restore(rules)
      last = rules
    } catch (error) {
      console.error((error as Error).message)
    }
}

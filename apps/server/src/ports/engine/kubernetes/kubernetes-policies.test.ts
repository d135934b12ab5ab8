import { expect, test } from 'vitest'
import { type KubernetesApi, KubernetesRefusal } from './kubernetes-api.ts'
import { ensurePolicies, judge, type Policy, type PolicyOptions, wantedPolicies } from './kubernetes-policies.ts'

const options: PolicyOptions = { deny: ['10.0.0.0/8', '198.18.0.0/16', 'fd00::/8'], pods: [], ownNamespace: null }
const wanted = wantedPolicies(options)
const [open, isolated, ingress] = wanted as [Policy, Policy, Policy]
const judged = (found: readonly Policy[]) => judge(found, wanted, options)
const foreign = (egress: Policy['spec']['egress'], podSelector: unknown = {}): Policy => ({
  metadata: { name: 'vexil-policy' },
  spec: { podSelector, policyTypes: ['Egress'], ...(egress && { egress }) },
})
const clouds = ['169.254.0.0/16', '100.100.100.200/32']
const notIsolated = { matchExpressions: [{ key: 'vexil.network', operator: 'NotIn', values: ['Isolated'] }] }

test('pods reach the internet but not denied ranges or cloud metadata', () => {
  expect(open.spec).toEqual({
    podSelector: notIsolated,
    policyTypes: ['Egress'],
    egress: [
      {
        to: [
          { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '198.18.0.0/16', ...clouds] } },
          { ipBlock: { cidr: '2000::/3' } },
        ],
      },
    ],
  })
})

test.each([
  ['2000::/3', ['0.0.0.0/0']],
  ['2000::/2', ['0.0.0.0/0']],
  ['::/1', ['0.0.0.0/0']],
  ['8000::/1', ['0.0.0.0/0', '2000::/3']],
])('egress over IPv6 is left out when all of it is denied: %s', (range, blocks) => {
  const [out] = wantedPolicies({ ...options, deny: [range] })
  expect(out!.spec.egress![0]!.to!.map(({ ipBlock }) => ipBlock!.cidr)).toEqual(blocks)
})

test('Isolated pods have no outbound access', () => {
  expect(isolated.spec).toEqual({ podSelector: { matchLabels: { 'vexil.network': 'Isolated' } }, policyTypes: ['Egress'] })
})

test('only the ports of the challenge are reachable, which have the same names in all pods', () => {
  expect(ingress.spec).toEqual({
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [
      {
        from: [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }],
        ports: ['challenge', 'challenge-1', 'challenge-2', 'challenge-3', 'challenge-4'].map((port) => ({
          protocol: 'TCP',
          port,
        })),
      },
    ],
  })
})

test('with a known pod range pods are reachable only from the platform’s pods', () => {
  const [out, , into] = wantedPolicies({ ...options, pods: ['100.96.0.0/16'], ownNamespace: 'vexil' })
  expect(out!.spec.egress![0]!.to![0]!.ipBlock!.except).toContain('100.96.0.0/16')
  expect(into!.spec.ingress).toMatchObject([
    {
      from: [
        { ipBlock: { cidr: '0.0.0.0/0', except: ['100.96.0.0/16'] } },
        { ipBlock: { cidr: '::/0' } },
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'vexil' } } },
      ],
    },
  ])
})

test('our policies in their expected form are in place, in any key order', () => {
  expect(judged(wanted)).toBe('in place')
  const { podSelector, policyTypes, egress } = open.spec
  expect(judged([{ ...open, spec: { egress: egress!, policyTypes, podSelector } }, isolated, ingress])).toBe('in place')
})

test.each([0, 1, 2])('one of them is missing: %i', (i) => {
  expect(judged(wanted.filter((_, j) => j !== i))).toContain(`${wanted[i]!.metadata.name} is missing`)
})

test('an administrator’s own policy is accepted when it is as strict', () => {
  const strict = foreign(
    [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '198.16.0.0/12', ...clouds] } }] }],
    notIsolated,
  )
  expect(judged([strict, isolated, ingress])).toBe('in place')
  expect(judged([foreign(undefined), isolated, ingress])).toBe('in place')
  expect(judged([foreign([]), isolated, ingress])).toBe('in place')
})

test.each([
  ['everything', [{}]],
  ['everything', [{ to: [] }]],
  ['other pods', [{ to: [{}] }]],
  ['10.0.0.0/8', [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['198.18.0.0/16', ...clouds] } }] }]],
  ['10.0.0.0/8', [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/9', '198.18.0.0/16', ...clouds] } }] }]],
  ['10.0.0.0/8', [{ to: [{ ipBlock: { cidr: '10.96.0.10/32' } }] }]],
  ['169.254.0.0/16', [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '198.18.0.0/16'] } }] }]],
  ['100.100.100.200/32', [{ to: [{ ipBlock: { cidr: '100.96.0.0/11' } }] }]],
  ['fd00::/8', [{ to: [{ ipBlock: { cidr: '::/0' } }] }]],
])('an administrator’s own policy that lets pods reach %s is reported', (hole, egress) => {
  expect(judged([foreign(egress, notIsolated), isolated, ingress])).toBe(
    `Not proven: the network policy vexil-policy lets pods reach ${hole}.`,
  )
})

test('an additional policy is checked as well', () => {
  const further = { ...foreign([{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }], notIsolated), metadata: { name: 'more' } }
  expect(judged([...wanted, further])).toContain('the network policy more lets pods reach 10.0.0.0/8')
})

test('a policy with outbound access for Isolated pods is reported, however little it permits', () => {
  const further = { ...foreign([{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }]), metadata: { name: 'more' } }
  expect(judged([...wanted, further])).toContain('Isolated')
})

test('another policy for inbound access is reported', () => {
  expect(judged([open, isolated, { ...ingress, spec: { ...ingress.spec, ingress: [{}] } }])).toContain('vexil-ingress')
})

test('policies that another node creates at the same moment are accepted; another refusal is reported', async () => {
  const created: string[] = []
  const apiWith = (status: number, lists: Policy[][]) =>
    ({
      list: async () => lists.shift(),
      create: async (_kind: string, { metadata }: Policy) => {
        created.push(metadata.name)
        throw new KubernetesRefusal(status, 'refused')
      },
    }) as unknown as KubernetesApi
  expect(await ensurePolicies(apiWith(409, [[], wanted]), options)).toBe('in place')
  expect(created).toEqual(wanted.map(({ metadata }) => metadata.name))
  expect(await ensurePolicies(apiWith(403, [[], wanted]), options)).toBe(
    'Not proven: cannot read or create the network policies: refused',
  )
})

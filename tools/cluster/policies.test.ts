import { expect, test } from 'vitest'
import { type Pod, type Policy, rulesOf, selects } from './policies.ts'

const pod = (name: string, podIP: string, labels: Record<string, string> = {}, namespace = 'here'): Pod => ({
  metadata: { name, namespace, labels },
  spec: { containers: [{ ports: [{ name: 'web', containerPort: 7000 }] }] },
  status: { podIP, phase: 'Running' },
})
const policy = (spec: Policy['spec'], namespace = 'here'): Policy => ({ metadata: { name: 'policy', namespace }, spec })
const namespaces = ['here', 'there'].map((name) => ({ metadata: { name, namespace: '', labels: { name } } }))
const chainOf = (rules: string, chain: string) => rules.split('\n').filter((line) => line.startsWith(`-A ${chain} `))

test.each([
  [undefined, false],
  [{}, true],
  [{ matchLabels: { a: '1' } }, true],
  [{ matchLabels: { a: '2' } }, false],
  [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }] }, true],
  [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, false],
  [{ matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['1'] }] }, true],
  [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, true],
  [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, false],
])('a selector %j', (selector, selected) => {
  expect(selects(selector, { a: '1' })).toBe(selected)
})

test('a pod that no policy selects may connect anywhere; an address without a pod may connect nowhere', () => {
  const rules = rulesOf({ pods: [pod('a', '10.214.0.2')], policies: [policy({ podSelector: {} }, 'there')], namespaces })
  expect(chainOf(rules, 'VEXIL-POD')).toEqual([
    '-A VEXIL-POD -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN',
    '-A VEXIL-POD -s 10.214.0.2 -j RETURN',
    '-A VEXIL-POD -s 10.214.0.0/24 -j DROP',
  ])
})

test('policies are combined, and one may allow what another excepts', () => {
  const world = {
    pods: [pod('a', '10.214.0.2'), pod('b', '10.214.0.3', { app: 'b' }, 'there')],
    policies: [
      policy({
        podSelector: {},
        policyTypes: ['Egress'],
        egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }] }],
      }),
      policy({
        podSelector: {},
        policyTypes: ['Egress'],
        egress: [{ to: [{ namespaceSelector: { matchLabels: { name: 'there' } } }], ports: [{ protocol: 'UDP', port: 53 }] }],
      }),
    ],
    namespaces,
  }
  const [maybe, allow, clear] = [
    '-j MARK --set-xmark 0x200/0x200',
    '-m mark --mark 0x200/0x200 -j MARK --set-xmark 0x100/0x100',
    '-j MARK --set-xmark 0/0x200',
  ]
  expect(chainOf(rulesOf(world), 'VEXIL-OUT-0').map((line) => line.replace('-A VEXIL-OUT-0 ', '').replace(/ +/g, ' '))).toEqual([
    `-d 0.0.0.0/0 ${maybe}`,
    `-d 10.0.0.0/8 ${clear}`,
    allow,
    clear,
    `-d 10.214.0.3/32 -p udp --dport 53 ${maybe}`,
    allow,
    clear,
    '-m mark ! --mark 0x100/0x100 -j DROP',
    '-j MARK --set-xmark 0/0x100',
  ])
})

test('a named port is that of the target pod; a policy without types is an ingress policy', () => {
  const world = {
    pods: [pod('a', '10.214.0.2')],
    policies: [policy({ podSelector: {}, ingress: [{ ports: [{ port: 'web' }] }] })],
    namespaces,
  }
  const rules = rulesOf(world)
  expect(chainOf(rules, 'VEXIL-IN-0')[0]).toBe('-A VEXIL-IN-0 -s 0.0.0.0/0 -p tcp --dport 7000 -j MARK --set-xmark 0x200/0x200')
  expect(chainOf(rules, 'VEXIL-OUT-0')).toEqual([])
})

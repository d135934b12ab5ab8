import { expect, test } from 'vitest'
import { judge, type Outcome, probeEnvironment, readOutcomes, type Target, targetsOf } from './isolation-probe.ts'

const host: Target = { name: 'host', kind: 'tcp', address: '192.0.2.7', port: 8080 }
const link: Target = { name: 'linkLocal', kind: 'link', address: '', port: 22 }
const resolver: Target = { name: 'resolver', kind: 'dns', address: 'resolver', port: 53, network: 'Isolated' }
const all = [host, link, resolver]
const outcome = (result: Outcome['result'], address = '192.0.2.7'): Outcome => ({ result, address })

test('the program gets each target as a word, the port only where it accepts connections, and its wait', () => {
  const words = 'tcp,192.0.2.7,8080 link,22 dns,resolver,53'
  expect(probeEnvironment(all)).toEqual({ VEXIL_PROBE: words, VEXIL_PROBE_PORT: '0', VEXIL_PROBE_WAIT: '0' })
  expect(probeEnvironment([], { port: 7000, wait: 2 })).toEqual({
    VEXIL_PROBE: '',
    VEXIL_PROBE_PORT: '7000',
    VEXIL_PROBE_WAIT: '2',
  })
})

test('a name server is a target of isolated containers only', () => {
  expect(targetsOf(all, 'Open')).toEqual([host, link])
  expect(targetsOf(all, 'Isolated')).toEqual(all)
})

test('the output is complete with its last line; lines are in any order, and a missing one is untried', () => {
  const lines = '2 refused 127.0.0.11\n0 reached 192.0.2.7\n'
  expect(readOutcomes(lines, all)).toBeNull()
  expect(readOutcomes('0 reached done\n', all)).toBeNull()
  expect(readOutcomes(`${lines}done`, all)).toEqual([
    outcome('reached'),
    outcome('untried', '-'),
    outcome('refused', '127.0.0.11'),
  ])
  const many = Array.from({ length: 12 }, () => host)
  expect(readOutcomes('11 reached 192.0.2.7\n1 refused 192.0.2.7\ndone', many)?.[1]).toEqual(outcome('refused'))
})

test.each<[Outcome['result'], Outcome['result'] | undefined, Outcome['result']]>([
  ['refused', 'reached', 'refused'],
  ['refused', 'refused', 'untried'],
  ['refused', 'untried', 'untried'],
  ['refused', undefined, 'untried'],
  ['reached', 'reached', 'reached'],
  ['reached', 'refused', 'reached'],
  ['untried', 'reached', 'untried'],
])('our container: %s, the control: %s, the result: %s', (ours, control, result) => {
  const controls = control === undefined ? [] : [outcome(control, 'elsewhere')]
  expect(judge('Open', [host], [outcome(ours)], controls)).toEqual([
    { network: 'Open', target: 'host', address: '192.0.2.7', port: 8080, result },
  ])
})

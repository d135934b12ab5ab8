import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import { checkLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { challengeBody, challengeFields, curveOf, newHints, wrongChallenge } from './challenge-form-fields.ts'
import { newContainer } from './container-drafts.ts'

const challenge: ChallengeEditDetail = {
  id: 1,
  title: 'Lattice Lantern',
  content: '',
  category: 'Crypto',
  type: 'DynamicContainer',
  hints: ['Short secrets.'],
  flagTemplate: null,
  isEnabled: true,
  acceptedCount: 3,
  fileName: 'attachment',
  attachment: null,
  testContainer: null,
  flags: [],
  containerImage: 'lantern:3',
  memoryLimit: 128,
  cpuCount: 5,
  storageLimit: 256,
  containerExposePort: 31337,
  enableTrafficCapture: false,
  containerNetwork: 'Open',
  readyTimeout: 120,
  readyText: '',
  profile: 'default',
  runtime: '',
  checkImage: '',
  checkMinutes: 0,
  additionalContainers: [],
  namedPorts: [],
  originalScore: 500,
  minScoreRate: 0.2,
  difficulty: 12,
  bloodBonus: null,
}
const fields = challengeFields(challenge)

test('CE-1 only changed fields are sent, and never whether it is enabled', () => {
  expect(challengeBody({ ...fields, title: ' New ', minRate: 12.5 }, ['title', 'minRate'])).toEqual({
    title: 'New',
    minScoreRate: 0.125,
  })
  expect(challengeBody(fields, [])).toEqual({})
})

test('the minimum score is shown in per cent, with one decimal', () => {
  expect([0, 0.125, 0.2, 1].map((minScoreRate) => challengeFields({ ...challenge, minScoreRate }).minRate)).toEqual([
    0, 12.5, 20, 100,
  ])
})

test('the interval of a solver check is 0, or at least the minimum of the server', () => {
  const of = (checkMinutes: number) => wrongChallenge({ ...fields, checkMinutes }, 'DynamicContainer')
  for (const good of [0, checkLimits.minutesMin]) expect(of(good)).toEqual([])
  for (const bad of [1, checkLimits.minutesMin - 1, -1]) expect(of(bad)).toEqual(['checkMinutes'])
})

test('the network of a container is read and sent', () => {
  expect(challengeFields({ ...challenge, containerNetwork: 'Isolated' }).containerNetwork).toBe('Isolated')
  expect(challengeBody({ ...fields, containerNetwork: 'Isolated' }, ['containerNetwork'])).toEqual({
    containerNetwork: 'Isolated',
  })
})

test('the runtime of a container may be empty, and has the signs of a name', () => {
  const of = (runtime: string) => wrongChallenge({ ...fields, runtime }, 'DynamicContainer')
  for (const good of ['', 'runsc', 'io.containerd.runc.v2', 'kata_qemu-2']) expect(of(good)).toEqual([])
  for (const bad of ['-a', 'a b', '.a', 'a/b']) expect(of(bad)).toEqual(['runtime'])
  expect(wrongChallenge({ ...fields, runtime: 'a b' }, 'StaticAttachment')).toEqual([])
})

test('CE-1 the rules of each field, those of containers only where there is one', () => {
  expect(wrongChallenge(fields, 'DynamicContainer')).toEqual([])
  const bad = {
    ...fields,
    title: ' ',
    difficulty: 0,
    originalScore: 2.5,
    containerImage: '',
    containerExposePort: 70_000,
    cpuCount: '',
  }
  expect(wrongChallenge(bad, 'DynamicContainer')).toEqual([
    'title',
    'originalScore',
    'difficulty',
    'containerImage',
    'containerExposePort',
    'cpuCount',
  ])
  expect(wrongChallenge(bad, 'StaticAttachment')).toEqual(['title', 'originalScore', 'difficulty'])
  expect(wrongChallenge({ ...fields, fileName: ' ' }, 'DynamicAttachment')).toEqual(['fileName'])
  expect(wrongChallenge({ ...fields, containerImage: ' ', difficulty: 0.09 }, 'DynamicContainer')).toEqual([
    'difficulty',
    'containerImage',
  ])
  expect(wrongChallenge({ ...fields, difficulty: 0.1 }, 'DynamicContainer')).toEqual([])
  expect(challengeBody({ ...fields, containerImage: ' echo:1 ', category: 'Web' }, ['containerImage', 'category'])).toEqual({
    containerImage: 'echo:1',
    category: 'Web',
  })
})

test('CE-2 blank hints are dropped, and only new or changed ones are announced', () => {
  const hints = [{ key: 1, text: '  ' }, { key: 2, text: 'Second.' }, ...fields.hints]
  expect(challengeBody({ ...fields, hints }, ['hints'])).toEqual({ hints: ['Second.', 'Short secrets.'] })
  expect(newHints(hints, fields.hints)).toBe(1)
  expect(newHints([], fields.hints)).toBe(0)
  expect(newHints([...fields.hints].reverse(), fields.hints)).toBe(0)
})

test('CE-1 an own blood bonus is sent packed, and can be removed', () => {
  expect(challengeBody({ ...fields, bloodBonus: [0, 0, 0] }, ['bloodBonus'])).toEqual({ bloodBonus: 0 })
  expect(challengeBody({ ...fields, bloodBonus: null }, ['bloodBonus'])).toEqual({ ownBloodBonus: false })
})

test('a wrong additional container and a wrong blood bonus are named; the containers only where there is an instance', () => {
  const additionalContainers = [{ ...newContainer([]), name: 'Not a name' }]
  expect(wrongChallenge({ ...fields, additionalContainers }, 'DynamicContainer')).toEqual(['additionalContainers'])
  expect(wrongChallenge({ ...fields, additionalContainers }, 'StaticAttachment')).toEqual([])
  const namedPorts = [{ key: 0, name: 'sql', port: fields.containerExposePort }]
  expect(wrongChallenge({ ...fields, namedPorts }, 'DynamicContainer')).toEqual(['namedPorts'])
  expect(wrongChallenge({ ...fields, namedPorts, containerExposePort: 80 }, 'DynamicContainer')).toEqual([])
  expect(wrongChallenge({ ...fields, bloodBonus: [101, 3, 1] }, 'StaticAttachment')).toEqual(['bloodBonus'])
  expect(wrongChallenge({ ...fields, bloodBonus: [100, 3, 1] }, 'StaticAttachment')).toEqual([])
})

test('there is a curve of scores only while its fields are valid', () => {
  const fields = { ...challengeFields(challenge), originalScore: 500.5, difficulty: 0.1, minRate: 25 }
  expect(curveOf(fields)).toEqual({ originalScore: 500, difficulty: 0.1, minScoreRate: 0.25 })
  expect(curveOf({ ...fields, originalScore: 0 })?.originalScore).toBe(0)
  for (const wrong of [{ difficulty: 0 }, { difficulty: '' }, { originalScore: -1 }, { originalScore: '' }])
    expect([wrong, curveOf({ ...fields, ...wrong })]).toEqual([wrong, undefined])
})

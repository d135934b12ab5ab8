import { describe, expect, test } from 'vitest'
import {
  containerLife,
  defaultSiteTitle,
  fileLimits,
  knownDeviceLife,
  pages,
  rateLimits,
  refreshInterval,
  sessionLimits,
  themeColour,
} from './limits.ts'
import {
  answerResults,
  attachmentTypes,
  captchaProviders,
  challengeCategories,
  challengeTypes,
  eventTypes,
  hasContainer,
  hasOwnFlags,
  noticeTypes,
  numberOfAnswerResult,
  participationStatuses,
  registerStatuses,
  roles,
  shownToPlayer,
  submissionTypes,
} from './vocabulary.ts'

describe('vocabulary', () => {
  test('P3.59 P3.48 P3.49 P3.50 P3.52 P3.54 P3.55 P3.58 P3.61 the position of a word in its list is its number', () => {
    expect(registerStatuses).toEqual(['LoggedIn', 'AdminConfirmationRequired', 'EmailConfirmationRequired'])
    expect(roles).toEqual(['Banned', 'User', 'Monitor', 'Admin'])
    expect(participationStatuses).toEqual(['Pending', 'Accepted', 'Rejected', 'Suspended', 'Unsubmitted'])
    expect(challengeCategories.join(' ')).toBe(
      'Misc Crypto Pwn Web Reverse Blockchain Forensics Hardware Mobile PPC AI Pentest OSINT',
    )
    expect(challengeTypes).toEqual(['StaticAttachment', 'StaticContainer', 'DynamicAttachment', 'DynamicContainer'])
    expect(attachmentTypes).toEqual(['None', 'Local', 'Remote'])
    expect(noticeTypes).toEqual(['Normal', 'FirstBlood', 'SecondBlood', 'ThirdBlood', 'NewHint', 'NewChallenge'])
    expect(submissionTypes).toEqual(['Unaccepted', 'FirstBlood', 'SecondBlood', 'ThirdBlood', 'Normal'])
    expect(eventTypes).toEqual(['Normal', 'ContainerStart', 'ContainerDestroy', 'FlagSubmit', 'CheatDetected'])
    expect(captchaProviders).toEqual(['None', 'GoogleRecaptcha', 'CloudflareTurnstile'])
  })

  test('P3.60 the list that starts below 0 has separate numbers', () => {
    expect(answerResults.map((word) => numberOfAnswerResult[word])).toEqual([0, 1, 2, 3, -1])
  })

  test('P3.60 a player does not see that an answer was recognized as the flag of another team', () => {
    expect(answerResults.map(shownToPlayer)).toEqual(['FlagSubmitted', 'Accepted', 'WrongAnswer', 'WrongAnswer', 'NotFound'])
  })

  test('types define whether there is a container and whether each team has its own flags', () => {
    expect(challengeTypes.map(hasContainer)).toEqual([false, true, false, true])
    expect(challengeTypes.map(hasOwnFlags)).toEqual([false, false, true, true])
  })
})

describe('limits', () => {
  test('P9.2 P9.3 P9.4 P9.5 sizes, times and title have the values of the product', () => {
    expect([fileLimits.imageBytes, fileLimits.writeupBytes]).toEqual([3_145_728, 20_971_520])
    expect([containerLife.defaultLifetime, containerLife.extensionDuration, containerLife.renewalWindow]).toEqual([120, 120, 10])
    expect([refreshInterval, defaultSiteTitle]).toEqual([10_000, 'GZ'])
  })

  test('P7.18 lists have the default number of rows that clients expect, and a largest number', () => {
    const sizes = Object.fromEntries(Object.entries(pages).map(([name, { size, max }]) => [name, [size, max]]))
    expect(sizes).toEqual({
      games: [50, 100],
      editGames: [50, 10_000],
      users: [100, 10_000],
      teams: [100, 10_000],
      logs: [50, 10_000],
      files: [50, 10_000],
      instances: [50, 10_000],
      notices: [100, 10_000],
      events: [100, 10_000],
      submissions: [100, 100_000],
      mails: [50, 1000],
      tries: [500, 500],
      search: [30, 10_000],
    })
  })

  test('P8.24 rate limits have the values that clients expect', () => {
    expect(rateLimits.global).toMatchObject({ permits: 150, window: 60_000 })
    expect(rateLimits.register).toMatchObject({ permits: 20, window: 150_000 })
    expect(rateLimits.submit).toMatchObject({ size: 100, refill: 50, every: 5000 })
    expect(rateLimits.container).toMatchObject({ size: 120, refill: 30, every: 10_000 })
  })

  test('times have the values of their names', () => {
    expect([refreshInterval, knownDeviceLife, sessionLimits.life]).toEqual([10_000, 15_552_000_000, 604_800_000])
    expect(sessionLimits.mailTokenLife).toBe(10_800_000)
  })

  test('a colour is # and exactly six hexadecimal digits', () => {
    for (const [text, right] of [
      ['#00Aa9f', true],
      ['x#00Aa9f', false],
      ['#00Aa9f0', false],
      ['#0', false],
      ['#gggggg', false],
    ] as const)
      expect([text, themeColour.test(text)]).toEqual([text, right])
  })
})

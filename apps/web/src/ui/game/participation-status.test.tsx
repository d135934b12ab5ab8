// @vitest-environment jsdom
import { participationStatuses } from '@vexil/core/vocabulary'
import { expect, test } from 'vitest'
import { click } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { StatusActions } from './participation-status.tsx'

const acts = {
  Pending: 'Set to pending',
  Accepted: 'Accept',
  Rejected: 'Reject',
  Suspended: 'Suspend',
  Unsubmitted: 'Undo registration',
}

test('RV-1 while a status is being set no other one can be set', async () => {
  const place = await openPage(<StatusActions status="Pending" team="Danes" busy onSet={() => {}} />)
  const states = [...place.querySelectorAll('button')].map(({ disabled }) => disabled)
  expect([states.length > 1, new Set(states)]).toEqual([true, new Set([true])])
})

test('P2.21 P4.5 RV-1 from each status every other status can be set, after a question that names the team', async () => {
  const pairs = participationStatuses.flatMap((from) =>
    participationStatuses.flatMap((to) => (from === to ? [] : [{ from, to, team: `${from} to ${to}` }])),
  )
  const set: string[] = []
  const place = await openPage(
    pairs.map(({ from, team }) => (
      <div key={team} data-team={team}>
        <StatusActions status={from} team={team} onSet={(chosen) => set.push(`${team}: ${chosen}`)} />
      </div>
    )),
  )
  for (const { from, to, team } of pairs) {
    const row = place.querySelector(`[data-team="${team}"]`)
    const own = [...(row?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === acts[to])
    if (own) await click(own)
    else {
      await click(row?.querySelector('[aria-haspopup=menu]'))
      const items = [...([...document.querySelectorAll('[role=menu]')].at(-1)?.querySelectorAll('[role=menuitem]') ?? [])]
      // To accept a team has a button.
      const others = participationStatuses.filter((one) => one !== from && one !== 'Accepted').map((one) => acts[one])
      expect(
        items.map(({ textContent }) => textContent),
        team,
      ).toEqual(others)
      const harmful = items.filter((one) => one.matches('[data-harmful]')).map(({ textContent }) => textContent)
      expect(harmful).toEqual(others.filter((name) => name === 'Suspend' || name === 'Reject'))
      await click([...document.querySelectorAll('[role=menuitem]')].filter(({ textContent }) => textContent === acts[to]).at(-1))
    }
    const question = () => [...document.querySelectorAll('[role=dialog]')].find(({ textContent }) => textContent?.includes(team))
    await until(() => expect(question(), team).toBeTruthy())
    expect(set).not.toContain(`${team}: ${to}`)
    await click([...(question()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === acts[to]))
    expect(set.at(-1)).toBe(`${team}: ${to}`)
  }
  expect(set).toHaveLength(20)
})

/** The main tasks of an organiser and of a player, in steps for any engine; each step needs the previous ones. */
import { visitorTeam } from '../../apps/server/src/demo/cast.ts'
import type { Demo } from '../../e2e/demo.ts'
import { fill, texts } from '../../e2e/people.ts'
import type { Person } from './person.ts'

interface JourneyContext {
  readonly organiser: Person
  readonly player: Person
  readonly demo: Demo
  /** Title of the new game. */
  readonly title: string
  /** Path of a PNG of that name. */
  readonly picture: (name: string) => string
}

type Step = (context: JourneyContext) => Promise<void>

const idOf = (path: string) => `(/${path}\\/(\\d+)/.exec(location.pathname) ?? [])[1]`

async function signIn(person: Person, { name, password }: { readonly name: string; readonly password: string }) {
  await person.goto('/account/Login')
  await person.fill(texts.account.nameOrEmail, name)
  await person.fill(texts.account.password, password)
  await person.click(texts.account.signIn)
  // Waits for the page itself, not only its address: a pending navigation would abort the next one.
  await person.until(`location.pathname === '/' && document.querySelector('main h2') !== null`)
}

/** The number of the game that the organiser has open. */
const gameOf = ({ organiser }: JourneyContext) => organiser.until(idOf('games'))

const makeGame: Step = async ({ organiser, title, demo }) => {
  await signIn(organiser, demo.logins.administrator)
  await organiser.goto('/admin/games')
  await organiser.click(texts.admin.games.create)
  await organiser.fill(texts.admin.info.title, title)
  await organiser.click(texts.admin.games.createButton)
  await organiser.until(idOf('games'))
  // The fields of the dialog have the same names as those of the next page.
  await organiser.see(texts.admin.info.summary)
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  await organiser.fill(texts.admin.info.start, at(-30))
  await organiser.fill(texts.admin.info.end, at(60))
  await organiser.click(texts.admin.info.accept)
  await organiser.click(/^Save 3 /)
  await organiser.until(`document.body.innerText.split('\\n').includes(${JSON.stringify(texts.admin.saved)})`)
}

const makeChallenge: Step = async (context) => {
  const { organiser } = context
  const { challenge, challenges, flags, types } = texts.admin
  await organiser.goto(`/admin/games/${await gameOf(context)}/challenges`)
  await organiser.click(challenges.create)
  await organiser.fill(challenge.title, 'Buoy')
  await organiser.choose(challenges.category, /^Misc/)
  await organiser.click(types.StaticAttachment)
  await organiser.click(texts.admin.games.createButton)
  await organiser.until(idOf('challenges'))
  await organiser.fill(challenge.content, 'Find the **buoy**.')
  await organiser.fill(flags.onePerLine, 'flag{buoy}')
  await organiser.click(challenge.saveEnable)
  await organiser.click(challenges.enable)
  await organiser.see(fill(challenges.enabled, { title: 'Buoy' }))
}

const showGame: Step = async (context) => {
  const { organiser } = context
  await organiser.goto(`/admin/games/${await gameOf(context)}/Info`)
  await organiser.click(texts.admin.show.button)
  await organiser.click(texts.admin.show.confirm)
  await organiser.until(`!document.body.innerText.includes(${JSON.stringify(texts.admin.ready.line.hidden)})`)
}

const joinGame: Step = async (context) => {
  const { player, demo } = context
  await signIn(player, demo.logins.player)
  await player.goto(`/games/${await gameOf(context)}`)
  await player.click(texts.games.main.join)
  await player.click(texts.games.continue)
  await player.click(texts.games.join)
  await player.click(texts.games.openChallenges)
}

const sendFlags: Step = async (context) => {
  const { organiser, player } = context
  await organiser.goto(`/games/${await gameOf(context)}/Scoreboard`)
  await organiser.see(visitorTeam, '0')
  await player.click(/Buoy/)
  await player.fill(texts.play.flag, 'flag{no}')
  await player.click(texts.play.submit)
  await player.see(texts.play.wrong)
  await player.fill(texts.play.flag, 'flag{buoy}')
  await player.click(texts.play.submit)
  await player.see(texts.play.solved)
  // Updated through the live channel, without a reload.
  await organiser.see(visitorTeam, '1,050')
}

const watch: Step = async (context) => {
  const { organiser } = context
  await organiser.goto(`/games/${await gameOf(context)}/monitor/Submissions`)
  await organiser.see(visitorTeam, 'Buoy', 'flag{buoy}')
  await organiser.see(visitorTeam, 'Buoy', 'flag{no}')
}

const takePictures: Step = async ({ player, demo: { facts }, picture }) => {
  await player.goto('/')
  await player.until(`Boolean(document.querySelector('main h1'))`)
  await player.picture(picture('home'))
  await player.goto(`/games/${facts.gameId}/Challenges`)
  await player.see('Roll Call')
  await player.picture(picture('challenges'))
  await player.goto(`/games/${facts.gameId}/Challenges?c=${facts.open}`)
  await player.see(texts.play.submit)
  await player.picture(picture('dialog'))
}

/** Whether the right edges of the header cells and of the row cells are equal within a pixel; false without rows. */
const edgesMeet = `(() => {
  const edges = (row) => [...(row?.children ?? [])].map((cell) => cell.getBoundingClientRect().right)
  const [head, row] = [edges(document.querySelector('thead tr:last-child')), edges(document.querySelector('tbody tr[data-team]'))]
  return row.length > 5 && head.length === row.length && head.every((edge, at) => Math.abs(edge - row[at]) <= 1)
})()`

const seeBoard: Step = async ({ player, demo: { facts }, picture }) => {
  await player.goto(`/games/${facts.gameId}/Scoreboard`)
  await player.see(visitorTeam)
  await player.picture(picture('board'))
  await player.until(edgesMeet)
}

export const journey: readonly (readonly [title: string, step: Step])[] = [
  ['the organiser signs in and makes a game', makeGame],
  ['the organiser makes a challenge with a flag and enables it', makeChallenge],
  ['the organiser shows the game', showGame],
  ['the player signs in and joins the game', joinGame],
  ['a wrong flag is refused, a right one moves an open board', sendFlags],
  ['the organiser sees both submissions on the monitor', watch],
  ['home, challenges and a challenge are shown', takePictures],
  ['on the board the cells of the head end where those of the rows do', seeBoard],
]

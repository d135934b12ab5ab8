import { type Random, seededRandom } from './random.ts'

export interface DemoTeam {
  readonly name: string
  readonly bio: string
  readonly division: 'Student' | 'Open'
  /** Captain first. */
  readonly members: readonly string[]
  /** 0..1: how quickly and how many challenges the team solves. */
  readonly strength: number
}

const names = [
  ['潮汐观测站', 'We log every tide twice'],
  ['Null Islanders', 'Born at 0°N 0°E'],
  ['夜航船', '天下学问，惟夜航船中最难对付'],
  ['Kombu Overflow', 'Stock, stack and seaweed'],
  ['Les Matelots', 'Marins d’eau douce'],
  ['白い灯台', '明かりは消しません'],
  ['Polarstern', 'Immer nach Norden'],
  ['半导体咖啡馆', '一杯美式，一道题'],
  ['Segfault & Sons', 'Family business since 1998'],
  ['深海魚クラブ', '圧力に強いです'],
  ['Byte Baltic', 'Five coasts, one terminal'],
  ['Tidewatch 潮見坂', 'From the slope above the harbour'],
  ['未名湖畔', '一塔湖图'],
  ['Grep the Kraken', '-r, of course'],
  ['Sémaphore', 'On se comprend de loin'],
  ['Ninth Wave', ''],
  ['珊瑚礁', '慢慢长'],
  ['Lighthouse Lambda', 'Pure functions only'],
  ['Harbour Seals', 'Mostly asleep'],
  ['うみねこ', ''],
  ['Drift Compiler', 'Almost on course'],
  ['三号码头', '周五例会'],
  ['Bit Dinghy', 'Small boat, big endian'],
  ['Saltwater Syntax', ''],
  ['Nordlicht', 'Sehen wir heute auch wieder nicht'],
  ['Mermaid Diagrams', 'We draw things'],
  ['凪', '風待ち'],
  ['Cargo Cult', 'It builds, we ship'],
  ['Paper Boats', 'First game for all of us'],
  ['Ebb & Flow', 'Stateful since Tuesday'],
  ['Ostsee-Orakel', ''],
  ['星海拾贝', '捡到一个算一个'],
  ['Fjord Fiesta', ''],
  ['Quiet Anchors', 'Please knock'],
  ['Sandbar Students', 'Second semester'],
  ['Vela', ''],
  ['Knot Today', 'Later, perhaps'],
  ['Low Tide Lounge', ''],
  ['一叶扁舟', '随波逐流'],
  ['Puddle Pirates', 'Wellies required'],
] as const

/** Teams for the review that were not accepted. Not on the board. */
export const doorTeams = [
  { name: 'Harbour Night School', bio: 'Tuesdays at eight', status: 'Pending' },
  { name: '海图研究社', bio: '', status: 'Pending' },
  { name: 'Test Team Please Skip', bio: '', status: 'Rejected' },
] as const

/** The team of the visitor's account, and the two teams that shared a flag. */
export const visitorTeam = 'Tidewatch 潮見坂'
export const copyingTeam = 'Puddle Pirates'
export const copiedTeam = 'Sandbar Students'

const given =
  'mara jonas hikari wei amelie oskar yuki lin noor pablo greta tomas aoi chen elif milo sofia henrik rin hao ines lukas mei ravi anouk emil sora tao freya kofi lea nils kaede jun zoe viktor haru ling ida marek nami bo clara piotr umi fang runa otto sena qing'.split(
    ' ',
  )
const endings = ['', '_at_sea', '42', '.dev', '_k', '7']

/** Unique handles, the same in every run. */
function* people(): Generator<string> {
  for (const ending of endings) for (const name of given) yield `${name}${ending}`
}

export function demoTeams(seed: number): {
  readonly teams: readonly DemoTeam[]
  readonly door: readonly string[]
  readonly spare: readonly string[]
} {
  const random = seededRandom(seed)
  const handles = people()
  const next = () => handles.next().value as string
  const teams = names.map(([name, bio], place) => ({
    name,
    bio,
    division: divisionOf(random, name),
    members: Array.from({ length: name === visitorTeam ? 3 : sizeOf(random, place) }, next),
    // The visitor's team is in the middle of the board, with unsolved challenges.
    strength: name === visitorTeam ? 0.52 : Math.max(0.04, 0.98 - place * 0.0235 + random.between(-0.09, 0.09)),
  }))
  return { teams, door: doorTeams.map(next), spare: Array.from({ length: 4 }, next) }
}

const divisionOf = (random: Random, name: string): DemoTeam['division'] =>
  name === visitorTeam || /Student/.test(name) || random.likely(0.45) ? 'Student' : 'Open'

const sizeOf = (random: Random, place: number) => (place < 10 ? 2 + random.below(3) : 1 + random.below(4))

/** The twelve challenges of the set-up page's demo. Each can be solved with its attachment, except the one that needs a container. */
import { createHash } from 'node:crypto'
import type { ChallengeCategory, ChallengeType } from '@vexil/core/vocabulary'
import { lastPackets } from './attachments/packets.ts'
import { postcard, wetLogbook } from './attachments/pictures.ts'
import {
  brassSextant,
  ferryTicket,
  foghorn,
  rollCall,
  saltedRope,
  strait,
  twoKeepers,
  unlearnedRoute,
} from './attachments/texts.ts'

interface DemoFile {
  readonly name: string
  readonly bytes: () => Buffer | Promise<Buffer>
}

export interface DemoChallenge {
  readonly title: string
  readonly category: ChallengeCategory
  readonly type: ChallengeType
  /** `{attachment}` is replaced by the URL of the file. */
  readonly content: string
  readonly hints: readonly string[]
  readonly originalScore: number
  readonly minScoreRate: number
  readonly difficulty: number
  /** Packed; absent: that of the game. */
  readonly bloodBonus?: number
  readonly flags: readonly string[]
  readonly file?: DemoFile
  readonly eachFile?: { readonly name: string; readonly bytes: (flag: string) => Buffer }
  readonly container?: { readonly image: string; readonly port: number; readonly template: string }
  /** Minutes that a good team needs: the order in which simulated teams solve. */
  readonly minutes: number
}

const ropeFlag = (number: number) =>
  `tide{brine_holds_${createHash('sha256').update(`rope ${number}`).digest('hex').slice(0, 10)}}`

export const demoChallenges: readonly DemoChallenge[] = [
  {
    title: 'Roll Call',
    category: 'Misc',
    type: 'StaticAttachment',
    content: `Good morning, and welcome to the quay. This one is for warming up: it has no bonus for being early, so take your time.

The harbour office writes down every ship that passes. Today the clerk swears that the ships came **in a meaningful order**.

| What you find | What it means |
|---|---|
| a ship | a letter |
| a change of watch | the end of a word |

Hand in \`tide{the_words_with_underscores}\`, all in small letters.`,
    hints: ['Ships are named as sailors spell.'],
    originalScore: 100,
    minScoreRate: 0.5,
    difficulty: 12,
    bloodBonus: 0,
    flags: ['tide{flags_are_letters_in_the_wind}'],
    file: { name: 'roll-call.txt', bytes: () => rollCall(['flags', 'are', 'letters', 'in', 'the', 'wind']) },
    minutes: 6,
  },
  {
    title: 'Two Keepers',
    category: 'Crypto',
    type: 'StaticAttachment',
    content: `Two lighthouse keepers share one lantern, and therefore one modulus $n$. Each has an exponent of his own. One evening the office sends **the same message** $m$ to both:

$$c_1 \\equiv m^{e_1} \\pmod n \\qquad c_2 \\equiv m^{e_2} \\pmod n$$

Nobody has factored $n$, and nobody needs to. Note that $\\gcd(e_1, e_2) = 1$.

The message is a number; its bytes, most significant first, are the flag.`,
    hints: [
      'There are whole numbers $a$ and $b$ with $a e_1 + b e_2 = 1$.',
      'One of the two is negative. That is what inverses are for.',
    ],
    originalScore: 400,
    minScoreRate: 0.25,
    difficulty: 8,
    flags: ['tide{one_lantern_two_exponents}'],
    file: { name: 'keepers.txt', bytes: () => twoKeepers('tide{one_lantern_two_exponents}') },
    minutes: 18,
  },
  {
    title: 'Salted Rope',
    category: 'Crypto',
    type: 'DynamicAttachment',
    content: `A page of a diary, in English, under a key that is much shorter than the page and simply repeats:

$$ c_i = p_i \\oplus k_{\\,i \\bmod \\ell} $$

Every team has found **a page of its own**. Your neighbour's flag will not be yours, and the office notices when it is handed in anyway.`,
    hints: ['You know how every flag here begins.', 'The key has between 6 and 10 bytes.'],
    originalScore: 300,
    minScoreRate: 0.3,
    difficulty: 10,
    flags: Array.from({ length: 60 }, (_, number) => ropeFlag(number)),
    eachFile: { name: 'page.hex', bytes: saltedRope },
    minutes: 14,
  },
  {
    title: 'Bilge Pump',
    category: 'Pwn',
    type: 'DynamicContainer',
    content: `The pump speaks over the wire and takes one command at a time:

\`\`\`c
char order[32];
int  pressure = 0;

gets(order);              /* the shipyard promised to look at this */
if (pressure == 0x5ea) open_valve();
\`\`\`

Start your own pump and keep the ship afloat. Where the platform has no container engine, this challenge says so; everything else can be played.`,
    hints: ['How far is it from `order` to `pressure`?'],
    originalScore: 500,
    minScoreRate: 0.2,
    difficulty: 6,
    flags: [],
    container: { image: 'registry.example.org/tideline/bilge-pump:1', port: 9999, template: 'tide{dry_feet_[TEAM_HASH]}' },
    minutes: 40,
  },
  {
    title: 'Ferry Ticket',
    category: 'Web',
    type: 'StaticAttachment',
    content: `The ticket booth signs its tickets, so nobody can move from the lower deck to the upper one. Or so they say.

You have:

1. the booth's own code, \`booth.mjs\`
2. somebody's ticket to the **lower** deck
3. the list of words that hangs beside the till

Find the secret. The flag is \`tide{word_word}\`: the secret with an underscore in the place of the hyphen.`,
    hints: ['A hundred words make ten thousand pairs. That is not many.'],
    originalScore: 300,
    minScoreRate: 0.25,
    difficulty: 9,
    flags: ['tide{copper_heron}'],
    file: { name: 'ferry-ticket.zip', bytes: () => ferryTicket('copper-heron') },
    minutes: 12,
  },
  {
    title: 'Brass Sextant',
    category: 'Reverse',
    type: 'StaticAttachment',
    content: `A sextant of brass, with the angles already engraved. It only tells you whether you are right:

\`\`\`console
$ node sextant.mjs "tide{perhaps_here}"
The ship is somewhere else.
\`\`\`

Every step of its mechanism can be turned backwards. Which reading levels the horizon?`,
    hints: ['Four times adding is five times having.', '$5 \\cdot 205 \\equiv 1 \\pmod{256}$'],
    originalScore: 350,
    minScoreRate: 0.25,
    difficulty: 8,
    flags: ['tide{every_gear_turns_both_ways}'],
    file: { name: 'sextant.mjs', bytes: () => brassSextant('tide{every_gear_turns_both_ways}') },
    minutes: 16,
  },
  {
    title: 'Wet Logbook',
    category: 'Forensics',
    type: 'StaticAttachment',
    content: `The logbook fell overboard, the ink is gone, and still the captain insists that **everything is on this page**. *You only have to look at the smallest things first.*

> Read as a book is read: from the upper left, one line after the other.`,
    hints: ['Red ink lasts longest.', 'One bit of each pixel, eight pixels a letter.'],
    originalScore: 250,
    minScoreRate: 0.3,
    difficulty: 10,
    flags: ['tide{paper_remembers_water}'],
    file: { name: 'logbook.png', bytes: () => wetLogbook('tide{paper_remembers_water}') },
    minutes: 11,
  },
  {
    title: 'Last Packets',
    category: 'Forensics',
    type: 'StaticAttachment',
    content: `The radio officer kept the capture of the last evening before the storm. Most of it is small talk. One conversation is not: it goes to port \`4242\`, **a letter at a time**, and the weather has shuffled it.

Open \`evening.pcap\` in the tool of your choice and put the letters in order.`,
    hints: ['Each packet says which place it has.'],
    originalScore: 250,
    minScoreRate: 0.3,
    difficulty: 10,
    flags: ['tide{we_came_home_out_of_order}'],
    file: { name: 'evening.pcap', bytes: () => lastPackets('tide{we_came_home_out_of_order}') },
    minutes: 10,
  },
  {
    title: 'Foghorn UART',
    category: 'Hardware',
    type: 'StaticAttachment',
    content: `Somebody clipped a logic analyser to the controller of the foghorn and saved every change of level:

| Property | Value |
|---|---|
| speed | 9600 baud |
| frame | 8 data bits, no parity, 1 stop bit |
| idle | high |

Bits come **least significant first**, after one start bit that is low. What does the foghorn say between two blasts?`,
    hints: ['A bit lasts about 104 µs.', 'The first falling edge is a start bit; sample one and a half bits later.'],
    originalScore: 350,
    minScoreRate: 0.25,
    difficulty: 8,
    flags: ['tide{long_short_long_says_the_horn}'],
    file: { name: 'foghorn.csv', bytes: () => foghorn('HORN READY\r\ntide{long_short_long_says_the_horn}\r\n') },
    minutes: 20,
  },
  {
    title: 'Shortest Strait',
    category: 'PPC',
    type: 'StaticAttachment',
    content: `A chart of $48 \\times 48$ squares, each with the time it takes to cross it. You start in the upper left and want to reach the lower right; you may move **up, down, left and right**.

What is the least time, first and last square included? For this small chart it is $29$:

\`\`\`text
1 9 9 1
2 3 9 9
9 4 5 9
1 9 6 8
\`\`\`

The flag is \`tide{time}\`, for example \`tide{29}\`.`,
    hints: ['Going down and right only is not enough.'],
    originalScore: 200,
    minScoreRate: 0.4,
    difficulty: 12,
    flags: ['tide{301}'],
    file: { name: 'chart.txt', bytes: () => strait().file },
    minutes: 9,
  },
  {
    title: '読まれない航路',
    category: 'AI',
    type: 'StaticAttachment',
    content: `The harbour trained a network to recommend routes. It has **one layer and no activation**; somebody fed it the flag, letter by letter as numbers, and kept the answer:

$$ \\mathbf{y} = W \\mathbf{x} $$

\`route.json\` holds $W$ and $\\mathbf{y}$. What was $\\mathbf{x}$?`,
    hints: ['Without an activation, learning is linear algebra.'],
    originalScore: 400,
    minScoreRate: 0.25,
    difficulty: 8,
    flags: ['tide{a_layer_is_just_a_matrix}'],
    file: { name: 'route.json', bytes: () => unlearnedRoute('tide{a_layer_is_just_a_matrix}') },
    minutes: 15,
  },
  {
    title: 'Postcard',
    category: 'OSINT',
    type: 'StaticAttachment',
    content: `A postcard without a word on it:

![A square tower above a bay, drawn in flat colours]({attachment})

The sender is proud of this tower: it is the oldest of its kind that still does its work every night. **What is it called?**

Hand in \`tide{name_of_the_tower}\`, in small letters, in English or in the language of the place.`,
    hints: ['The camera knows where it stood.'],
    originalScore: 150,
    minScoreRate: 0.5,
    difficulty: 12,
    flags: ['tide{tower_of_hercules}', 'tide{torre_de_hércules}', 'tide{torre_de_hercules}'],
    file: { name: 'postcard.jpg', bytes: postcard },
    minutes: 7,
  },
]

/**
 * Which demands of the product are proven: an id such as `P5.8` counts when it is in the title of a test that passed (proven.ts).
 * `--issue N` takes the demands due with that step (and no others).
 */
import { readList, showOpen } from './proven.ts'

const asked = process.argv.indexOf('--issue')
const issue = asked > 0 ? process.argv[asked + 1] : undefined
showOpen(
  readList('demands.tsv').filter(([, , due]) => issue === undefined || due === issue),
  /\bP\d+\.\d+\b/g,
)

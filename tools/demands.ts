/**
 * Lists the demands of the product that are not proven: an id such as `P5.8` is proven if it is in the title of a test that passed (proven.ts).
 * `--issue N` selects only the demands due with that step.
 */
import { readList, showOpen } from './proven.ts'

const asked = process.argv.indexOf('--issue')
const issue = asked > 0 ? process.argv[asked + 1] : undefined
showOpen(
  readList('demands.tsv').filter(([, , due]) => issue === undefined || due === issue),
  /\bP\d+\.\d+\b/g,
)

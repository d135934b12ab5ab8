/** Which checks of the screens are covered: an id such as `US-3` counts if it is in the title of a passed test (proven.ts). `--area US` selects an area. */
import { readList, showOpen } from './proven.ts'

const asked = process.argv.indexOf('--area')
const area = asked > 0 ? process.argv[asked + 1] : undefined
showOpen(
  readList('screens.tsv').filter(([id]) => area === undefined || id?.startsWith(`${area}-`)),
  /\b[A-Z]{2,6}-\d+\b/g,
)

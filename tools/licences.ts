/** Prints the licences of all installed packages of the platform; development tools come last. */
import { licenceRows } from '../apps/web/licence-rows.ts'

const rows = licenceRows()
for (const { name, version, licence, dev } of rows) console.log(`${licence}\t${name} ${version}${dev ? '\t(development)' : ''}`)
const counts = Map.groupBy(
  rows.filter(({ dev }) => !dev),
  ({ licence }) => licence,
)
console.log(`\n${[...counts].map(([licence, of]) => `${licence}: ${of.length}`).join(', ')}`)

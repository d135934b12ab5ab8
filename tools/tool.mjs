/** npm run tool -- NAME [arguments]: runs one of these with the right version of Node; its exit code is that of the tool. Without a name it lists them. */
import { join } from 'node:path'
import { installLock, root, runInPlace, toolEnvironment } from '../scripts/toolchain.mjs'

/** @type {Record<string, [description: string, ...command: string[]]>} */
const tools = {
  breaks: ['the part `breaks` of the proof, again', ...part('breaks')],
  calls: ['every call with its access, limit and rows of errors', 'tools/calls.ts'],
  chaos: ['breaks a platform of two nodes under load', 'tools/chaos/chaos.ts'],
  cluster: ['a Kubernetes cluster of one node, until `cluster stop`', 'tools/cluster/cluster.ts'],
  'cluster-test': ['tests on that cluster', 'tools/cluster/cluster-test.ts'],
  containers: ['starts of instances and the platform proxy', 'tools/containers/containers.ts'],
  'delete-challenge': ['answers while a challenge with 100,000 of them is deleted', 'tools/bench/delete-challenge.ts'],
  deletions: ['takes single statements away; lists those that no test notices', 'tools/mutation/deletions.ts'],
  demands: ['which demands of the product a passed test names', 'tools/demands.ts'],
  'docker-engine': ['a temporary Docker engine until Ctrl-C', 'scripts/docker-engine.mjs'],
  drill: ['the opening minute of an event, all limits on', 'tools/bench/drill.ts'],
  engines: ['the main journeys in Firefox and WebKitGTK', 'tools/engines/engines.mjs'],
  'first-visit': ['bytes and times of a first visit of the start page', 'tools/bench/first-visit.ts'],
  fuzz: ['the part `fuzz` of the proof, again', ...part('fuzz')],
  image: ['builds the image of the platform; bytes of its parts', 'tools/image/image.ts'],
  'image-test': ['the image and deploy/compose.yaml: a game is played', 'tools/image/image-test.ts'],
  kills: ['the part `kills` of the proof, again', ...part('kills')],
  'kills-containers': ['the part `kills-containers` of the proof, again', ...part('kills-containers')],
  'large-body': ['answers while bodies of 30 MB are taken', 'tools/bench/large-body.ts'],
  licences: ['licences of all packages', 'tools/licences.ts'],
  'long-paths': ['requests with paths of 15,000 characters', 'tools/bench/attacks/long-paths.ts'],
  mutants: ['changes the code in small ways; lists changes that no test notices', 'tools/mutation/mutants.ts'],
  nodes: ['three nodes behind HAProxy: replaced, cut off and stopped under load', 'tools/nodes/nodes.ts'],
  pgbackrest: ['point-in-time recovery as docs/operations.md says', 'tools/pgbackrest.ts'],
  pictures: ['pictures of every screen, checked', 'tools/pictures/pictures.mjs'],
  plant: ['plants small faults; a test or the lint must find each', 'tools/mutation/plant.ts'],
  races: ['the part `races` of the proof, again', ...part('races')],
  restart: ['a restart under load', 'tools/bench/restart.ts'],
  'screen-cost': ['processor time of screens in Chromium', 'tools/bench/screen-cost.ts'],
  screens: ['which checks of the screens a passed test names', 'tools/screens.ts'],
  'slow-board': ['the scoreboard of 10,000 teams on a slow line', 'tools/bench/slow-board.ts'],
  soak: ['the same load for a long time: does anything grow', 'tools/chaos/soak.ts'],
  storage: ['storage limits on Docker with btrfs and with ext4', 'tools/storage.mjs'],
  'unfinished-messages': ['WebSocket messages without an end', 'tools/bench/attacks/unfinished-messages.ts'],
  weight: ['bytes of each route of the built web, beside its limit', 'scripts/weight.ts'],
  'zip-writeups': ['memory while the archive of 200 writeups is sent', 'tools/bench/zip-writeups.ts'],
}

function part(name) {
  return ['scripts/proof.mjs', '--again', '--only', name]
}

const [name, ...args] = process.argv.slice(2)
if (name === undefined || !Object.hasOwn(tools, name)) {
  if (name !== undefined) console.error(`Unknown tool: ${name}`)
  for (const [one, [description]] of Object.entries(tools)) console.log(`${one.padEnd(20)} ${description}`)
  process.exit(name === undefined ? 0 : 2)
}
installLock()
const [, file, ...fixed] = tools[name]
runInPlace([join(root, file), ...fixed, ...args], { env: toolEnvironment() })

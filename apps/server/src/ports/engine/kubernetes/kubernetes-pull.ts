/**
 * Images of a cluster. A node pulls an image only for a pod, so a DaemonSet puts a pod with a nonexistent command on every node, and is removed
 * when each has the image or cannot have it.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSemaphore } from '../../../semaphore.ts'
import { labels } from '../challenge-container.ts'
import { parseImage } from '../docker/docker-image.ts'
import { type Engine, EngineError, type NodeImage } from '../engine.ts'
import { type DaemonSet, type KubernetesApi, KubernetesRefusal, type Pod } from './kubernetes-api.ts'
import { eventsOf, pullProblem, stateOf, wasPulledWithoutSecret } from './kubernetes-create.ts'
import { type PodOptions, pullBody, pullLabel } from './kubernetes-pod.ts'

/** Milliseconds. */
const pollInterval = 300
const pullTime = 600_000
/** Time within which a node must begin; others would wait behind one that is down. */
const beginTime = 120_000
/** DaemonSets of a process at a time. */
const atOnce = 3

type Seen = (nodes: readonly NodeImage[]) => void

interface Pull {
  readonly done: Promise<'here' | 'registry'>
  readonly seen: Set<Seen>
}

/** `timeoutMs`: milliseconds after which an image that is still being pulled counts as available. */
export function openKubernetesImages(
  api: KubernetesApi,
  options: PodOptions,
  timeoutMs: number,
  onError: (error: unknown) => void,
): Pick<Engine, 'pull' | 'findImage'> {
  const pulls = new Map<string, Pull>()
  const semaphore = openSemaphore(atOnce, 1_000)
  const fetchOnce = (image: string, seen?: Seen) => {
    const running = pulls.get(image) ?? begin(image)
    if (seen) running.seen.add(seen)
    return running.done
  }
  const begin = (image: string): Pull => {
    const seen = new Set<Seen>()
    const report: Seen = (nodes) => {
      for (const one of seen) one(nodes)
    }
    const done = semaphore(() => fetchImage(api, options, image, report)).finally(() => pulls.delete(image))
    const pull = { done, seen }
    pulls.set(image, pull)
    return pull
  }
  return {
    pull: async (image, seen) => void (await fetchOnce(image, seen)),
    findImage: async (image) => {
      const waiting = new AbortController()
      const late = sleep(timeoutMs, 'late' as const, { signal: waiting.signal })
      const fetched = fetchOnce(image)
      const first = await Promise.race([fetched, late]).finally(() => waiting.abort())
      if (first !== 'late') return first
      fetched.catch(onError)
      return 'registry'
    },
  }
}

/** Returns whether every node had the image before. @throws EngineError unreachable, image */
async function fetchImage(api: KubernetesApi, options: PodOptions, image: string, seen: Seen): Promise<'here' | 'registry'> {
  if (!parseImage(image)) throw new EngineError('image', `"${image.slice(0, 200)}" is not the name of an image`)
  // The same for every process, so that one which starts after a kill continues with what it finds.
  const name = `pull-${createHash('sha256').update(`${options.installation} ${image}`).digest('hex').slice(0, 20)}`
  try {
    const { nodes, pods } = await becomeFetched(api, options, { name, image, seen })
    const failed = nodes.filter(({ state }) => state === 'failed')
    if (failed.length > 0) throw new EngineError('image', failed.map(describe).join('; '))
    return (await wasOnEveryNode(api, pods)) ? 'here' : 'registry'
  } catch (error) {
    if (error instanceof EngineError && error.problem === 'failed') throw new EngineError('image', error.message)
    throw error
  } finally {
    await api.remove('daemonsets', name).catch(() => undefined)
  }
}

const describe = ({ node, problem }: NodeImage) => (node === '' ? `${problem}` : `${node}: ${problem}`)
const selectorOf = ({ installation }: PodOptions, name: string) => `${labels.installation}=${installation},${pullLabel}=${name}`

async function wasOnEveryNode(api: KubernetesApi, pods: readonly Pod[]): Promise<boolean> {
  const events = await Promise.all(pods.map(({ metadata }) => eventsOf(api, metadata.name)))
  // A later attempt to start the command finds what the first one pulled.
  return events.every((some) => {
    const pulled = some.filter(({ reason }) => reason === 'Pulled')
    return pulled.length > 0 && pulled.every(({ message }) => /already present/.test(message ?? ''))
  })
}

/** Polls until every node has the image or cannot have it, at most for `pullTime`. Nodes that take no pods are left out. */
async function becomeFetched(
  api: KubernetesApi,
  options: PodOptions,
  { name, image, seen }: { readonly name: string; readonly image: string; readonly seen: Seen },
): Promise<{ readonly nodes: readonly NodeImage[]; readonly pods: readonly Pod[] }> {
  let reported = ''
  for (const since = performance.now(); ; await sleep(pollInterval)) {
    const set = await findOrCreate(api, name, () => pullBody(name, image, options))
    const { uid } = set.metadata
    // Those of an earlier set with this name may still exist.
    const pods = (await api.list('pods', { labelSelector: selectorOf(options, name) })).filter(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid),
    )
    const waited = performance.now() - since
    const isLate = waited > pullTime
    const mustHaveStarted = waited > beginTime
    const judge = async (pod: Pod): Promise<NodeImage> => {
      const one = nodeImage(pod, image, mustHaveStarted)
      const triesAgain =
        one.state === 'failed' && !mustHaveStarted && (await wasPulledWithoutSecret(api, options, pod.metadata.name))
      return triesAgain ? { ...one, state: 'pulling' } : one
    }
    const nodes = [...(await Promise.all(pods.map(judge))), ...(await missingPods(api, set, pods.length))].map((one) =>
      isLate && one.state === 'pulling'
        ? { ...one, state: 'failed' as const, problem: `${one.problem ?? 'Not pulled'} (after ${pullTime / 60_000} minutes)` }
        : one,
    )
    const now = JSON.stringify(nodes)
    if (now !== reported && nodes.length > 0) seen(nodes)
    reported = now
    if (set.status?.observedGeneration === undefined && !isLate) continue
    if (nodes.length === 0) throw new EngineError('image', 'No node of the cluster takes pods')
    if (nodes.every(({ state }) => state !== 'pulling')) return { nodes, pods }
  }
}

/** Another process that pulls the same image may remove the set first. */
async function findOrCreate(api: KubernetesApi, name: string, body: () => object): Promise<DaemonSet> {
  const found = await api.find('daemonsets', name)
  if (found) return found
  try {
    return await api.create('daemonsets', body())
  } catch (error) {
    const made = error instanceof KubernetesRefusal && error.status === 409 ? await api.find('daemonsets', name) : null
    if (made) return made
    throw error
  }
}

function nodeImage(pod: Pod, image: string, mustHaveStarted: boolean): NodeImage {
  const node = pod.spec.nodeName ?? wantedNode(pod)
  const state = stateOf(pod)
  const { reason = '', message } = state.waiting ?? {}
  // The command fails to start, which happens only after the pull.
  if (state.terminated || /^((Create|Run)Container(?!Config)|CrashLoop)/.test(reason))
    return { node, state: 'here', problem: null }
  const problem = pullProblem(image, state)
  if (problem !== null) return { node, state: 'failed', problem }
  const unplaced = pod.status.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  if (!state.waiting) {
    const why = unplaced ? `The node has no room: ${unplaced.message ?? unplaced.reason}` : 'The node has not begun to pull it'
    return { node, state: mustHaveStarted ? 'failed' : 'pulling', problem: why }
  }
  return { node, state: 'pulling', problem: /Error$/.test(reason) ? (message ?? reason) : null }
}

/** A pod of a DaemonSet that has no node yet names the only one on which it can run. */
function wantedNode({ spec }: Pod): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return terms?.[0]?.matchFields?.[0]?.values?.[0] ?? ''
}

/** Pods that the cluster refuses to make, for example because of a quota. */
async function missingPods(api: KubernetesApi, { metadata, status }: DaemonSet, made: number): Promise<NodeImage[]> {
  const missing = (status?.desiredNumberScheduled ?? 0) - made
  if (missing <= 0) return []
  const events = await eventsOf(api, metadata.name, 'DaemonSet')
  const refusal = events.findLast(({ reason }) => reason === 'FailedCreate')
  const one: NodeImage = refusal
    ? { node: '', state: 'failed', problem: `The cluster refuses the pod: ${refusal.message ?? ''}` }
    : { node: '', state: 'pulling', problem: null }
  return Array.from({ length: missing }, () => one)
}

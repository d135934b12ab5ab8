/** Images of a cluster. A node pulls an image only for a pod, so a pod with a nonexistent command is created. */
import { setTimeout as sleep } from 'node:timers/promises'
import { nameOf } from '../challenge-container.ts'
import { parseImage } from '../docker/docker-image.ts'
import { type Engine, EngineError } from '../engine.ts'
import type { KubernetesApi } from './kubernetes-api.ts'
import { eventsOf, refuseImage, stateOf } from './kubernetes-create.ts'
import { hasEnded } from './kubernetes-found.ts'
import { type PodOptions, pullBody } from './kubernetes-pod.ts'

/** Milliseconds. */
const lookPause = 300
const pullTime = 600_000

/** `patience`: milliseconds after which an image that is still being pulled counts as available. */
export function openKubernetesImages(
  api: KubernetesApi,
  options: PodOptions,
  patience: number,
  onError: (error: unknown) => void,
): Pick<Engine, 'pull' | 'findImage'> {
  const pulls = new Map<string, Promise<'here' | 'registry'>>()
  const fetchOnce = (image: string) => {
    const running = pulls.get(image) ?? fetchImage(api, options, image).finally(() => pulls.delete(image))
    pulls.set(image, running)
    return running
  }
  return {
    pull: async (image) => void (await fetchOnce(image)),
    findImage: async (image) => {
      const waiting = new AbortController()
      const late = sleep(patience, 'late' as const, { signal: waiting.signal })
      const fetched = fetchOnce(image)
      const first = await Promise.race([fetched, late]).finally(() => waiting.abort())
      if (first !== 'late') return first
      fetched.catch(onError)
      return 'registry'
    },
  }
}

/** Returns where the image was found. @throws EngineError away, image */
async function fetchImage(api: KubernetesApi, options: PodOptions, image: string): Promise<'here' | 'registry'> {
  if (!parseImage(image)) throw new EngineError('image', `"${image.slice(0, 200)}" is not the name of an image`)
  const name = nameOf({ name: 'pull' })
  try {
    await api.create('pods', pullBody(name, image, options))
    await becomeFetched(api, name, image)
    const events = await eventsOf(api, name)
    return events.some(({ reason, message }) => reason === 'Pulled' && /already present/.test(message ?? ''))
      ? 'here'
      : 'registry'
  } catch (error) {
    if (error instanceof EngineError && error.problem === 'failed') throw new EngineError('image', error.message)
    throw error
  } finally {
    await api.remove('pods', name).catch(() => undefined)
  }
}

async function becomeFetched(api: KubernetesApi, name: string, image: string): Promise<void> {
  for (const until = performance.now() + pullTime; performance.now() < until; await sleep(lookPause)) {
    const pod = await api.find('pods', name)
    if (!pod) throw new EngineError('image', `The image ${image} was not pulled: the pod that pulls it was removed`)
    const state = stateOf(pod)
    // The command fails to start, which happens only after the pull.
    if (hasEnded(pod) || state.terminated || /^(Create|Run)Container/.test(state.waiting?.reason ?? '')) return
    refuseImage(image, state)
  }
  throw new EngineError('image', `The image ${image} was not pulled within ${pullTime / 60_000} minutes`)
}

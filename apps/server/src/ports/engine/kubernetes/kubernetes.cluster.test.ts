/** On a real cluster, with only the rights of `deploy/kubernetes/challenges.yaml`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { images } from '../../../../test/container-images.ts'
import { clear } from '../../../../test/docker.ts'
import { aContainer, engineSuite, talkTo } from '../../../../test/engine.suite.ts'
import { kubeconfig, namespace, openTestKubernetes } from '../../../../test/kubernetes.ts'
import type { Engine } from '../engine.ts'
import { openAccess } from './kubernetes-access.ts'
import { openKubernetesApi } from './kubernetes-api.ts'

const node = '198.18.78.2'
const open: Record<string, Engine> = {}
beforeAll(async () => {
  open.proxied = await openTestKubernetes()
  open.published = await openTestKubernetes({ published: true })
  open.neighbour = await openTestKubernetes()
})
afterAll(async () => {
  for (const engine of Object.values(open)) await clear(engine)
})
const scene = (mode: string) => async () => ({
  engine: open[mode]!,
  neighbour: open.neighbour!,
  images: { ...images, missing: '127.0.0.1:9/missing:1' },
})

describe('behind the platform proxy', () => engineSuite(scene('proxied')))
describe('with published ports', () => engineSuite(scene('published')))

test('players reach a port of the node, and it is removed with the container', async () => {
  const spec = aContainer({ image: images.echo })
  const { published } = await open.published!.create(spec)
  const place = { host: node, port: published!.port }
  await expect.poll(() => talkTo(place, '', 1_000).catch(() => '')).toBe(`${spec.environment.FLAG}\n`)
  await open.published!.destroy(spec.id)
  await expect.poll(() => talkTo(place, '', 1_000).catch(() => 'gone')).toBe('gone')
})

test('a container over its storage limit is ended with that reason', async () => {
  const spec = aContainer({ image: images.fill, storageLimit: 128 })
  await open.proxied!.create(spec)
  const end = async () => (await open.proxied!.inspect(spec.id))?.end
  await expect
    .poll(end, { timeout: 60_000, interval: 1_000 })
    .toMatchObject({ reason: 'storage', message: expect.stringMatching(/ephemeral.*128Mi/) })
  await open.proxied!.destroy(spec.id)
})

test('a fork bomb does not keep another container from starting', async () => {
  const bomb = aContainer({ image: images.fork })
  await open.proxied!.create(bomb)
  const spec = aContainer({ image: images.echo })
  expect(await talkTo(await open.proxied!.create(spec))).toBe(`${spec.environment.FLAG}\n`)
  for (const { id } of [bomb, spec]) await open.proxied!.destroy(id)
})

test('limits and rights apply to the container itself', async () => {
  const place = await open.proxied!.create(aContainer({ image: images.shell, cpuCount: 3, memoryLimit: 64 }))
  const answer = await talkTo(
    place,
    'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/cpu/cpu.cfs_quota_us; cat /proc/self/status; cat /var/run/secrets/kubernetes.io/serviceaccount/token 2>&1\n',
  )
  expect(answer.split('\n').slice(0, 2)).toEqual(['67108864', '30000'])
  expect(answer).toMatch(/^Seccomp:\t2$/m)
  // chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service, sys_chroot
  expect(answer).toMatch(/^CapBnd:\t00000000000405fb$/m)
  expect(answer).toContain("can't open '/var/run/secrets/kubernetes.io/serviceaccount/token'")
  // The cluster's own address is in the environment in any case; other services are not.
  expect(await talkTo(place, 'env\n')).not.toMatch(/^CHAL_/m)
})

test('the profile strict: the service runs without rights, and writes to /tmp only', async () => {
  const spec = aContainer({ image: images.shell, strict: true })
  const place = await open.proxied!.create(spec)
  const status = await talkTo(place, 'cat /proc/self/status\n')
  expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
  expect(status).toMatch(/^CapBnd:\t0+$/m)
  expect(status).toMatch(/^NoNewPrivs:\t1$/m)
  expect(await talkTo(place, 'echo a > /flag 2> /dev/null || echo refused; echo b > /tmp/b && cat /tmp/b\n')).toBe('refused\nb\n')
  await open.proxied!.destroy(spec.id)
})

test('a runtime class that the cluster does not have is named', async () => {
  const failure = open.proxied!.create(aContainer({ image: images.echo, runtime: 'nowhere' }))
  await expect(failure).rejects.toMatchObject({ problem: 'failed', message: expect.stringContaining('nowhere') })
})

test('the service account has no rights outside of its namespace, and inside only the required ones', async () => {
  const account = (namespace: string) => openKubernetesApi(openAccess(kubeconfig), namespace)
  const inside = account(namespace)
  for (const refused of [
    () => account('vexil').list('secrets', {}),
    () => account('kube-system').list('pods', {}),
    () => account('default').create('pods', {}),
    () => inside.find('secrets', 'any'),
    () => inside.remove('networkpolicies', 'vexil-policy'),
    () => inside.replace('pods', 'any', {}),
    () => inside.create('events', {}),
  ])
    await expect(refused()).rejects.toMatchObject({ status: 403 })
})

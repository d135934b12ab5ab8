/** The programs of the cluster: those of Kubernetes and kustomize are built from their Go modules one by one and kept; the others are Debian packages. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { binaries, env } from './place.ts'

const module = join(import.meta.dirname, 'kubernetes')
const versions = readFileSync(join(module, 'go.mod'), 'utf8')
/** The version is that of kubectl in this release of Kubernetes. */
const kustomize = 'sigs.k8s.io/kustomize/kustomize/v5'
const programs = ['kubelet', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubectl', 'kustomize']
const versionOf = (name: string) => {
  const source = name === 'kustomize' ? kustomize : 'k8s.io/kubernetes'
  return new RegExp(`\\s${source} (v[\\d.]+)`).exec(versions)?.[1] ?? ''
}
/** Path of a program that is built here. */
export const program = (name: string): string => join(binaries, `${name}-${versionOf(name)}`)

const packages: Readonly<Record<string, string>> = {
  'etcd-server': '/usr/bin/etcd',
  containerd: '/usr/bin/containerd',
  runc: '/usr/sbin/runc',
  'containernetworking-plugins': '/usr/lib/cni/ptp',
  iptables: '/usr/sbin/iptables',
  iproute2: '/usr/sbin/ip',
  openssl: '/usr/bin/openssl',
  'busybox-static': '/bin/busybox',
  'docker-registry': '/usr/bin/docker-registry',
}
const POLICY = '/usr/sbin/policy-rc.d'

/** Builds the missing programs. Takes about ten minutes on two cores, once. */
export function buildPrograms(): void {
  const go = ['/usr/local/go/bin/go', '/usr/bin/go', '/usr/lib/go/bin/go'].find((path) => existsSync(path)) ?? 'go'
  mkdirSync(binaries, { recursive: true })
  for (const name of programs.filter((name) => !existsSync(program(name)))) {
    const since = Date.now()
    const part = `${program(name)}.part`
    const version = versionOf(name)
    const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`
    const source = name === 'kustomize' ? kustomize : `k8s.io/kubernetes/cmd/${name}`
    const args = ['build', '-trimpath', '-ldflags', flags, '-o', part, source]
    const done = spawnSync('nice', ['-n', '10', go, ...args], {
      cwd: module,
      stdio: 'inherit',
      env: { ...env, CGO_ENABLED: '0' },
    })
    if (done.status !== 0) throw new Error(`${name} ${version} could not be built with ${go}`)
    renameSync(part, program(name))
    console.log(`built ${name} ${version} in ${Math.round((Date.now() - since) / 1000)} s`)
  }
}

/** Needs root on Debian. */
export function installPackages(): void {
  const wanted = Object.keys(packages).filter((name) => !existsSync(packages[name] ?? ''))
  if (wanted.length === 0) return
  console.log(`Installing ${wanted.join(', ')} by apt (once).`)
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  apt('update')
  // Otherwise the packages would start their services.
  const policy = !existsSync(POLICY)
  if (policy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  apt('install', '--no-install-recommends', ...wanted)
  if (policy) rmSync(POLICY)
  const missing = wanted.filter((name) => !existsSync(packages[name] ?? ''))
  if (missing.length > 0) throw new Error(`${missing.join(', ')} could not be installed by apt`)
}

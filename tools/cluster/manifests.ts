/** Applies the manifests of `deploy/kubernetes` to the test cluster, and writes a kubeconfig for the account that they create. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadAll } from 'js-yaml'
import { askApi } from './api.ts'
import { program } from './build.ts'
import { writeKubeconfig } from './parts.ts'

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

const manifestFolder = join(import.meta.dirname, '../../deploy/kubernetes')
export const readManifests = (name: string): Manifest[] => loadAll(readFileSync(join(manifestFolder, name), 'utf8')) as Manifest[]

/** The folder of an example site, which includes all of `deploy/kubernetes`. */
export const exampleSite = join(import.meta.dirname, '../../deploy/kubernetes-example')

/** The manifests that kustomize builds from a folder. */
export const buildManifests = (folder: string): Manifest[] =>
  loadAll(execFileSync(program('kustomize'), ['build', folder], { encoding: 'utf8' })) as Manifest[]

/** Path of an object in the API. */
export function pathOf({ apiVersion, kind, metadata: { name, namespace } }: Manifest): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies')
  return `${root}${namespace ? `/namespaces/${namespace}` : ''}/${plural}/${name}`
}

/** `dryRun`: the API checks everything and stores nothing. */
export async function applyManifests(manifests: readonly Manifest[], { dryRun = false } = {}): Promise<void> {
  const query = `?fieldManager=vexil-test&force=true&fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`
  for (const manifest of manifests) await askApi('PATCH', `${pathOf(manifest)}${query}`, manifest, 'application/apply-patch+yaml')
}

/** Returns when all objects, including pods, are removed. */
export async function removeManifests(manifests: readonly Manifest[]): Promise<void> {
  const missing = (method: string, path: string) =>
    askApi(method, path).then(
      () => false,
      (error) => {
        if (error.status === 404) return true
        throw error
      },
    )
  for (const manifest of manifests) await missing('DELETE', `${pathOf(manifest)}?propagationPolicy=Foreground`)
  for (const manifest of manifests) while (!(await missing('GET', pathOf(manifest)))) await sleep(250)
}

export async function makePlatformKubeconfig(): Promise<void> {
  const { status } = await askApi<{ status: { token: string } }>('POST', '/api/v1/namespaces/vexil/serviceaccounts/vexil/token', {
    spec: { expirationSeconds: 86_400 },
  })
  writeKubeconfig('platform', status.token)
}

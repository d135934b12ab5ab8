/** The folders, the network namespace and the addresses of the test cluster. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Binaries, built once. */
export const binaries = process.env.VEXIL_CLUSTER_CACHE || join(homedir(), '.cache/vexil-cluster')
/** Everything else; short, because the path of a socket has at most 107 bytes. Removed with the cluster. */
export const folder = '/tmp/vexil-cluster'
export const containerd = join(folder, 'containerd.sock')
export const node = 'vexil-node'

/** The node is a separate network namespace, so the packet filter of this machine is not changed. */
export const namespace = 'vexil-cluster'
/** The end of the veth pair on this machine. */
export const link = 'vexil-kube'
export const addresses = {
  machine: '198.18.78.1',
  node: '198.18.78.2',
  nodes: '198.18.78.0/24',
  pods: '10.214.0.0/24',
  services: '10.215.0.0/24',
}
export const apiServer = `https://${addresses.node}:6443`

/** The folders of these programs may be missing in a user's PATH. */
export const env: NodeJS.ProcessEnv = { ...process.env, PATH: `/usr/sbin:/sbin:${process.env.PATH}` }

/** The path of a kubeconfig; `platform` is the account of the manifests. */
export const kubeconfig = (user: string): string => join(folder, `${user}.kubeconfig`)

/** The parts of the cluster in the order of their start: their files and their command lines. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from './build.ts'
import { pauseImage } from './images.ts'
import { addresses, apiServer, containerd, folder, kubeconfig, node } from './place.ts'

/** Names and groups of users in Kubernetes. */
const users = {
  admin: ['admin', 'system:masters'],
  kubelet: [`system:node:${node}`, 'system:nodes'],
  controllers: ['system:kube-controller-manager', ''],
  scheduler: ['system:kube-scheduler', ''],
  proxy: ['system:kube-proxy', ''],
}
const at = (name: string) => join(folder, name)
const tokens = Object.fromEntries(Object.keys(users).map((user) => [user, randomBytes(24).toString('hex')]))
const plainHttp = (place: string) =>
  `server = "http://${place}"\n[host."http://${place}"]\n  capabilities = ["pull", "resolve"]\n`
/** The address at which a test may start a registry. */
export const registry = `${addresses.machine}:5078`

/** Writes the files that the parts read when they start. */
export function writeFiles(): void {
  for (const name of ['cni', `registries/${registry}`, 'logs', 'pids']) mkdirSync(at(name), { recursive: true, mode: 0o700 })
  execFileSync('openssl', ['genrsa', '-out', at('accounts.key'), '2048'], { stdio: 'ignore' })
  const lines = Object.entries(users).map(([user, [name, group]]) => `${tokens[user]},${name},${user},${group}`)
  writeFileSync(at('tokens.csv'), `${lines.join('\n')}\n`, { mode: 0o600 })
  writeFileSync(at(`registries/${registry}/hosts.toml`), plainHttp(registry))
  writeFileSync(at('cni/10-pods.conflist'), JSON.stringify(network))
  writeFileSync(at('containerd.toml'), containerdConfig)
  writeFileSync(at('kubelet.yaml'), JSON.stringify(kubeletConfig))
}

/** The API server creates its own certificate, so these files are written after its start. JSON is valid YAML. */
export function writeKubeconfigs(): void {
  for (const [user, token] of Object.entries(tokens)) writeKubeconfig(user, token)
}

export function writeKubeconfig(user: string, token: string): void {
  const authority = readFileSync(at('certificates/apiserver.crt')).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'vexil', cluster: { server: apiServer, 'certificate-authority-data': authority } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: user, context: { cluster: 'vexil', user } }],
    'current-context': user,
  }
  writeFileSync(kubeconfig(user), JSON.stringify(config, null, 2), { mode: 0o600 })
}

/** `ptp` and not `bridge`: packets between pods pass the packet filter of the node. */
const network = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: { type: 'host-local', dataDir: at('leases'), ranges: [[{ subnet: addresses.pods }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
  ],
}

const containerdConfig = `version = 2
root = "${at('containerd')}"
state = "${at('containerd-run')}"
[grpc]
address = "${containerd}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Where root may not give processes a better score than its own, pods would not start.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${at('cni')}"
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "${at('registries')}"
`

const kubeletConfig = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  // The API server connects without a certificate; no other machine reaches the node.
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  containerRuntimeEndpoint: `unix://${containerd}`,
  cgroupDriver: 'cgroupfs',
  failSwapOn: false,
  podPidsLimit: 512,
  podLogsDir: at('pods'),
  resolvConf: '/etc/resolv.conf',
  serializeImagePulls: false,
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  syncFrequency: '10s',
  enforceNodeAllocatable: [],
}

export interface Part {
  readonly name: string
  readonly command: readonly string[]
}

export const parts: readonly Part[] = [
  { name: 'etcd', command: ['/usr/bin/etcd', '--data-dir', at('etcd'), '--log-level', 'warn'] },
  { name: 'containerd', command: ['/usr/bin/containerd', '--config', at('containerd.toml')] },
  {
    name: 'kube-apiserver',
    command: [
      program('kube-apiserver'),
      '--etcd-servers=http://127.0.0.1:2379',
      `--service-cluster-ip-range=${addresses.services}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${at('accounts.key')}`,
      `--service-account-key-file=${at('accounts.key')}`,
      `--token-auth-file=${at('tokens.csv')}`,
      '--authorization-mode=Node,RBAC',
      `--advertise-address=${addresses.node}`,
      `--cert-dir=${at('certificates')}`,
      '--kubelet-preferred-address-types=InternalIP',
    ],
  },
  {
    name: 'kube-controller-manager',
    command: [
      program('kube-controller-manager'),
      `--kubeconfig=${kubeconfig('controllers')}`,
      `--service-account-private-key-file=${at('accounts.key')}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
    ],
  },
  {
    name: 'kube-scheduler',
    command: [program('kube-scheduler'), `--kubeconfig=${kubeconfig('scheduler')}`, '--leader-elect=false'],
  },
  {
    name: 'kubelet',
    command: [
      program('kubelet'),
      `--config=${at('kubelet.yaml')}`,
      `--kubeconfig=${kubeconfig('kubelet')}`,
      `--hostname-override=${node}`,
      `--node-ip=${addresses.node}`,
      `--root-dir=${at('kubelet')}`,
      `--cert-dir=${at('kubelet-certificates')}`,
    ],
  },
  {
    name: 'kube-proxy',
    command: [
      program('kube-proxy'),
      `--kubeconfig=${kubeconfig('proxy')}`,
      '--proxy-mode=iptables',
      `--cluster-cidr=${addresses.pods}`,
      `--hostname-override=${node}`,
      // These kernel settings belong to the machine, not to the node.
      '--conntrack-max-per-core=0',
      '--conntrack-min=0',
      '--conntrack-tcp-timeout-established=0s',
      '--conntrack-tcp-timeout-close-wait=0s',
    ],
  },
  { name: 'policies', command: [process.execPath, join(import.meta.dirname, 'policies.ts')] },
]

/** The objects of a container: a secret with its environment, a pod, and a service if players connect to the cluster. */
import { capabilities, labels, labelsOf, partOf, strictTmp, strictUser } from '../challenge-container.ts'
import { parseImage } from '../docker/docker-image.ts'
import { type AdditionalContainer, type ContainerLimits, type ContainerSpec, maxNamedPorts } from '../engine.ts'

/** The name of the first container in its pod. */
export const firstName = 'challenge'
/** Names of ports in pods, in the order of the spec: the policies name them, so they are the same for all challenges. */
export const portNames = ['challenge', ...Array.from({ length: maxNamedPorts }, (_, at) => `challenge-${at + 1}`)]
/** Label with `Open` or `Isolated`, used by the policies. */
export const networkLabel = 'vexil.network'
/** Label of a DaemonSet and its pods that only pull an image: its name. */
export const pullLabel = 'vexil.pull'

export interface PodOptions {
  readonly installation: string
  /** Name servers; empty for those of the node. */
  readonly dns: readonly string[]
  /** The share of its limits that a container requests; 0 to 1. */
  readonly requests: number
  /** Programs without rights may send echo requests, which changes nothing else. */
  readonly mayPing?: boolean
  /** Name of the secret with the registry's credentials, or null. */
  readonly registrySecret: string | null
}

/** Set-uid programs of challenges need the escalation. */
const usualContext = { allowPrivilegeEscalation: true, capabilities: { drop: ['ALL'], add: capabilities } }
const strictContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: strictUser,
  runAsGroup: strictUser,
}

/** A share of the limits, at least 0.01 core, 32 MB and 16 MB of disk: instances are idle most of the time. */
function requestsOf({ cpuCount, memoryLimit, storageLimit }: ContainerLimits, share: number): Record<string, string> {
  return {
    cpu: `${Math.max(10, Math.floor(cpuCount * 100 * share))}m`,
    memory: `${Math.max(32, Math.floor(memoryLimit * share))}Mi`,
    'ephemeral-storage': `${Math.max(16, Math.floor(storageLimit * share))}Mi`,
  }
}

/** One for each container. The flag is stored only here: read access to pods does not reveal it. */
export function secretBodies(name: string, spec: ContainerSpec, installation: string): object[] {
  const secret = (its: string, stringData: ContainerSpec['environment']) => ({
    metadata: { name: its, labels: labelsOf(spec, installation) },
    type: 'Opaque',
    immutable: true,
    stringData,
  })
  return [secret(name, spec.environment), ...spec.additional.map((one) => secret(secretOf(name, one), one.environment))]
}

const secretOf = (name: string, one: AdditionalContainer) => `${name}-${partOf(one)}`

/** The ports of an instance, the first one first. */
const portsOf = ({ port, namedPorts }: ContainerSpec) =>
  [port, ...namedPorts.map((one) => one.port)].map((number, at) => ({ name: portNames[at], number, protocol: 'TCP' }))

export function podBody(name: string, spec: ContainerSpec, options: PodOptions): object {
  return {
    metadata: {
      name,
      labels: { ...labelsOf(spec, options.installation), [networkLabel]: spec.isolated ? 'Isolated' : 'Open' },
    },
    spec: {
      ...challengePodSpec(options),
      containers: [
        {
          name: firstName,
          ...containerOf(spec, { ...spec, secret: name, tmp: 'tmp' }, options),
          // The ports of the whole pod: its containers share an address.
          ports: portsOf(spec).map(({ name, number, protocol }) => ({ name, containerPort: number, protocol })),
          ...(spec.hasReadyCheck && { startupProbe: startupProbe(spec.port) }),
        },
        ...spec.additional.map((one) => ({
          name: partOf(one),
          ...containerOf(spec, { ...one, secret: secretOf(name, one), tmp: `tmp-${partOf(one)}` }, options),
        })),
      ],
      ...(spec.strict && { volumes: ['tmp', ...spec.additional.map((one) => `tmp-${partOf(one)}`)].map(tmpVolume) }),
      ...(spec.runtime && { runtimeClassName: spec.runtime }),
    },
  }
}

const tmpVolume = (name: string) => ({ name, emptyDir: { medium: 'Memory', sizeLimit: `${strictTmp}Mi` } })

interface PodContainer extends ContainerLimits {
  readonly image: string
  /** Names of the secret with its environment, and of the volume of `/tmp` with the profile `strict`. */
  readonly secret: string
  readonly tmp: string
}

function containerOf({ strict }: ContainerSpec, one: PodContainer, { requests }: PodOptions): object {
  const mb = (number: number) => `${number}Mi`
  return {
    image: one.image,
    imagePullPolicy: pullPolicy(one.image),
    envFrom: [{ secretRef: { name: one.secret } }],
    resources: {
      limits: { cpu: `${one.cpuCount * 100}m`, memory: mb(one.memoryLimit), 'ephemeral-storage': mb(one.storageLimit) },
      requests: requestsOf(one, requests),
    },
    securityContext: {
      privileged: false,
      ...(strict ? strictContext : usualContext),
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(strict && { volumeMounts: [{ name: one.tmp, mountPath: '/tmp' }] }),
  }
}

/**
 * The pod is Ready when its port accepts a connection. A readiness probe would connect once a second for as long as the pod runs, which a
 * service that serves one connection at a time notices, and would take a busy one from its node port; a startup probe ends with the first
 * success. It must not end the pod, so its failures (one a second) outlast every instance.
 */
const startupProbe = (port: number) => ({
  tcpSocket: { port },
  periodSeconds: 1,
  timeoutSeconds: 1,
  failureThreshold: 10_000_000,
})

/** A pod on every node that takes pods. The command does not exist, so nothing of the image runs. */
export function pullBody(name: string, image: string, options: PodOptions): object {
  const own = { [labels.installation]: options.installation, [pullLabel]: name, [networkLabel]: 'Isolated' }
  return {
    metadata: { name, labels: own },
    spec: {
      selector: { matchLabels: own },
      revisionHistoryLimit: 0,
      template: {
        metadata: { labels: own },
        spec: {
          ...challengePodSpec(options),
          // The only one that a DaemonSet can have.
          restartPolicy: 'Always',
          containers: [
            {
              name: 'image',
              image,
              imagePullPolicy: pullPolicy(image),
              command: ['/vexil/only-fetches-the-image'],
              resources: { limits: { cpu: '100m', memory: '32Mi' }, requests: { cpu: '1m', memory: '4Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ['ALL'] },
                readOnlyRootFilesystem: true,
                runAsUser: strictUser,
                seccompProfile: { type: 'RuntimeDefault' },
              },
            },
          ],
        },
      },
    },
  }
}

function challengePodSpec({ dns, registrySecret, mayPing }: PodOptions): object {
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    // The cluster's DNS server would reveal the names of other services.
    ...(dns.length > 0 ? { dnsPolicy: 'None', dnsConfig: { nameservers: dns } } : { dnsPolicy: 'Default' }),
    ...(mayPing && { securityContext: { sysctls: [{ name: 'net.ipv4.ping_group_range', value: '0 2147483647' }] } }),
    ...(registrySecret !== null && { imagePullSecrets: [{ name: registrySecret }] }),
  }
}

export function serviceBody(name: string, spec: ContainerSpec, installation: string): object {
  return {
    metadata: { name, labels: labelsOf(spec, installation) },
    spec: {
      type: 'NodePort',
      selector: { [labels.installation]: installation, [labels.container]: spec.id },
      ports: portsOf(spec).map(({ name, number, protocol }) => ({ name, port: number, targetPort: number, protocol })),
    },
  }
}

function pullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return parseImage(image)?.version === 'latest' ? 'Always' : 'IfNotPresent'
}

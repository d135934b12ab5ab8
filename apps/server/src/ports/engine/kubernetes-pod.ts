/** What a cluster is asked for when a container is made: a secret with its environment, a pod, and a service where players connect to the cluster. */
import { capabilities, labels, labelsOf } from './challenge-container.ts'
import { parseImage } from './docker-image.ts'
import type { Wanted } from './engine.ts'

/** Name of the port in the pod, to which the policies refer. */
export const challengePort = 'challenge'
/** `Open` or `Isolated`: the policies go by it. */
export const networkLabel = 'vexil.network'
/** A pod that only fetches an image. */
export const pullLabel = 'vexil.pull'

export interface PodOptions {
  readonly installation: string
  /** Name servers in place of the node's; empty for those. */
  readonly dns: readonly string[]
  /** Name of the secret with the registry's credentials, or null. */
  readonly registrySecret: string | null
}

/** The flag is only here: access to pods does not show it. */
export function secretBody(name: string, wanted: Wanted, installation: string): object {
  return {
    metadata: { name, labels: labelsOf(wanted, installation) },
    type: 'Opaque',
    immutable: true,
    stringData: wanted.environment,
  }
}

export function podBody(name: string, wanted: Wanted, options: PodOptions): object {
  const mb = (number: number) => `${number}Mi`
  return {
    metadata: {
      name,
      labels: { ...labelsOf(wanted, options.installation), [networkLabel]: wanted.isolated ? 'Isolated' : 'Open' },
    },
    spec: {
      ...hostile(options),
      containers: [
        {
          name: 'challenge',
          image: wanted.image,
          imagePullPolicy: pullPolicy(wanted.image),
          envFrom: [{ secretRef: { name } }],
          ports: [{ name: challengePort, containerPort: wanted.port, protocol: 'TCP' }],
          resources: {
            limits: {
              cpu: `${wanted.cpuCount * 100}m`,
              memory: mb(wanted.memoryLimit),
              'ephemeral-storage': mb(wanted.storageLimit),
            },
            // Instances wait for players most of the time.
            requests: { cpu: '10m', memory: '32Mi', 'ephemeral-storage': '16Mi' },
          },
          securityContext: {
            privileged: false,
            // Challenges with set-uid programs need it.
            allowPrivilegeEscalation: true,
            capabilities: { drop: ['ALL'], add: capabilities },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ],
    },
  }
}

/** Its program does not exist, so nothing of the image runs. */
export function pullBody(name: string, image: string, options: PodOptions): object {
  return {
    metadata: {
      name,
      labels: { [labels.installation]: options.installation, [pullLabel]: 'true', [networkLabel]: 'Isolated' },
    },
    spec: {
      ...hostile(options),
      activeDeadlineSeconds: 900,
      containers: [
        {
          name: 'image',
          image,
          imagePullPolicy: pullPolicy(image),
          command: ['/vexil/only-fetches-the-image'],
          resources: { limits: { cpu: '100m', memory: '32Mi' }, requests: { cpu: '1m', memory: '4Mi' } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  }
}

/** What every pod with an image of a challenge gets. */
function hostile({ dns, registrySecret }: PodOptions): object {
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    // The cluster's own name server would tell the names of what else runs there.
    ...(dns.length > 0 ? { dnsPolicy: 'None', dnsConfig: { nameservers: dns } } : { dnsPolicy: 'Default' }),
    ...(registrySecret !== null && { imagePullSecrets: [{ name: registrySecret }] }),
  }
}

export function serviceBody(name: string, wanted: Wanted, installation: string): object {
  return {
    metadata: { name, labels: labelsOf(wanted, installation) },
    spec: {
      type: 'NodePort',
      selector: { [labels.installation]: installation, [labels.container]: wanted.id },
      ports: [{ name: challengePort, port: wanted.port, targetPort: wanted.port, protocol: 'TCP' }],
    },
  }
}

function pullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return parseImage(image)?.version === 'latest' ? 'Always' : 'IfNotPresent'
}

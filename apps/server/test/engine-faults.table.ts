/**
 * The outcome of a call of an engine when one of its requests is answered badly: one word for each manner of `manners`, in their order. They are
 * explained in `engine-door.ts`; `late` is held until 1 ms before the deadline and then answered, `text` is not JSON, `shape` is JSON of another
 * form, `empty` has no body. Every request that the call makes without a fault has a row.
 *
 * `ok`: the same as without a fault. `unreachable`, `failed`, `image`, `pulling`, `busy`: the problem of an `EngineError`. `empty`, `other`: a text other than
 * the printed one. `none`: there is no such container. `no`: its service does not answer. `registry`: the image did not arrive in time.
 * `unproven`: the isolation is reported as not proven. After the word:
 *
 *   <    it came before the deadline of the request
 *   *n   the request was made n times, a different number than without a fault
 *   +    something of the container, or of the DaemonSet that pulls an image, is left
 *   !    a fault was reported, one for each
 */
export const manners = [
  ...(['held', 'late', '400', '404', '409', '500', '503'] as const),
  ...(['text', 'shape', 'empty', 'cut', 'reset', 'unreachable'] as const),
]
export type MannerName = (typeof manners)[number]

type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>

export const faultsTable: Readonly<Record<'Docker' | 'Kubernetes', Rows>> = {
  Docker: {
    create: {
      'GET /version':
        'unreachable ok unreachable unreachable unreachable unreachable unreachable unreachable ok unreachable unreachable unreachable unreachable',
      'GET /images/team/echo:1/json':
        'unreachable ok image ok image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'POST /images/create of the trial': 'unreachable ok ok ok ok ok unreachable ok ok ok unreachable unreachable unreachable',
      'POST /containers/create of the trial':
        'unreachable ok ok ok ok ok unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'DELETE /images/*': 'ok ok ok ok ok ok ok ok ok ok ok ok unreachable',
      'POST /networks/create':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'POST /containers/create':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
      'POST /containers/*/start':
        'unreachable ok failed failed failed failed unreachable failed failed failed unreachable unreachable unreachable+',
      'GET /containers/*/json':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
    },
    'create, image elsewhere': {
      'GET /images/team/far:1/json':
        'unreachable ok image ok image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'POST /images/create':
        'pulling<! pulling< image image image image unreachable unreachable failed unreachable unreachable unreachable unreachable',
    },
    // The differences from `create`.
    'create, two containers': {
      'POST /containers/create beside':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
    },
    list: {
      'GET /networks':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /containers/json':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    inspect: {
      'GET /networks':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /containers/json':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    'inspect, ended': {
      'GET /containers/*/json':
        'unreachable ok failed none failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /networks/bridge':
        'unreachable ok failed ok failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    logs: {
      'GET /containers/json':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /containers/*/logs':
        'unreachable ok failed empty empty failed unreachable other other empty unreachable unreachable unreachable',
    },
    destroy: {
      'GET /containers/json':
        'unreachable*1+ ok failed*1+ failed*1+ failed*1+ failed*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+',
      'GET /networks':
        'unreachable*1+ ok failed*1+ failed*1+ failed*1+ failed*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+',
      'POST /containers/*/stop': 'unreachable+ ok ok ok ok ok unreachable+ ok ok ok unreachable+ unreachable+ unreachable+',
      'DELETE /containers/*':
        'unreachable+ ok failed*10+ failed*10+ failed*10+ failed*10+ unreachable+ failed*10+ failed*10+ failed*10+ unreachable+ unreachable+ unreachable+',
      'DELETE /networks/*':
        'unreachable+ ok failed*10+ failed*10+ failed*10+ failed*10+ unreachable+ failed*10+ failed*10+ failed*10+ unreachable unreachable+ unreachable+',
    },
    // The network is kept.
    destroyOne: {
      'GET /containers/json':
        'unreachable+ ok+ failed+ failed+ failed+ failed+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+',
      'POST /containers/*/stop':
        'unreachable+ ok+ ok+ ok+ ok+ ok+ unreachable+ ok+ ok+ ok+ unreachable+ unreachable+ unreachable+',
      'DELETE /containers/*':
        'unreachable+ ok+ failed+ ok+ failed+ failed+ unreachable+ ok+ ok+ ok+ unreachable+ unreachable+ unreachable+',
    },
    pull: {
      'POST /images/create':
        'unreachable ok image image image image unreachable unreachable ok unreachable unreachable unreachable unreachable',
    },
    findImage: {
      'GET /images/team/far:1/json':
        'unreachable ok image ok image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /distribution/team/far:1/json':
        'unreachable ok image image image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    // The container is dialled, without a request to Docker.
    listens: {},
    ping: {
      'GET /_ping': 'unreachable ok failed failed failed failed unreachable ok ok ok unreachable unreachable unreachable',
    },
    probe: {
      'GET /info':
        'unreachable ok failed failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
  },
  Kubernetes: {
    create: {
      'GET /networkpolicies':
        'unreachable*1 ok ok*1! ok*1! ok*1! unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1',
      'POST /secrets':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'POST /pods':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
      'GET /pods/*':
        'unreachable*1 ok failed*1 busy*1 failed*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1+',
      'POST /services':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
    },
    list: {
      'GET /networkpolicies':
        'unreachable*1 ok ok*1! ok*1! ok*1! unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1',
      'GET /daemonsets':
        'unreachable ok ok ok ok unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /pods':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /secrets':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /services':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    inspect: {
      'GET /secrets':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /services':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /pods':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    'inspect, ended': {
      'GET /pods/*':
        'unreachable ok failed none failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    logs: {
      'GET /pods':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      // Answered by the node of the pod, whose failure is not that of the cluster.
      'GET /pods/*/log': 'failed ok empty empty failed failed failed other other empty unreachable unreachable unreachable',
    },
    destroy: {
      'GET /secrets':
        'unreachable*1+ ok failed*1+ failed*1+ failed*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+',
      'GET /services':
        'unreachable*1+ ok failed*1+ failed*1+ failed*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+',
      'GET /pods':
        'unreachable*1+ ok failed*1+ failed*1+ failed*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+ unreachable*1+',
      'DELETE /secrets/*':
        'unreachable+ ok failed+ failed*8+ failed+ unreachable+ unreachable+ failed*8+ failed*8+ failed*8+ unreachable+ unreachable+ unreachable+',
      'DELETE /services/*':
        'unreachable+ ok failed+ failed*8+ failed+ unreachable+ unreachable+ failed*8+ failed*8+ failed*8+ unreachable+ unreachable+ unreachable+',
      'DELETE /pods/*':
        'unreachable+ ok failed+ failed*8+ failed+ unreachable+ unreachable+ failed*8+ failed*8+ failed*8+ unreachable unreachable+ unreachable+',
    },
    destroyOne: {
      'GET /secrets':
        'unreachable+ ok failed+ failed+ failed+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+',
      'GET /services':
        'unreachable+ ok failed+ failed+ failed+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+',
      'GET /pods':
        'unreachable+ ok failed+ failed+ failed+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+ unreachable+',
      'DELETE /secrets/*':
        'unreachable+ ok failed+ ok+ failed+ unreachable+ unreachable+ ok+ ok+ ok+ unreachable+ unreachable+ unreachable+',
      'DELETE /services/*':
        'unreachable+ ok failed+ ok+ failed+ unreachable+ unreachable+ ok+ ok+ ok+ unreachable+ unreachable+ unreachable+',
      'DELETE /pods/*':
        'unreachable+ ok failed+ ok+ failed+ unreachable+ unreachable+ ok+ ok+ ok+ unreachable unreachable+ unreachable+',
    },
    pull: {
      'GET /daemonsets/*':
        'unreachable ok image ok image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'POST /daemonsets':
        'unreachable ok image image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /pods':
        'unreachable ok image image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
      'GET /events':
        'unreachable ok image image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
      'DELETE /daemonsets/*': 'ok+ ok ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok ok+ ok+',
    },
    findImage: {
      'GET /daemonsets/*':
        'registry<! registry< image ok image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'POST /daemonsets':
        'registry<! registry< image image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /pods':
        'registry<! registry< image image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
      'GET /events':
        'registry<! registry< image image image unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable+',
      'DELETE /daemonsets/*': 'registry<+ registry< ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok ok+ ok+',
    },
    listens: {
      'GET /pods/*':
        'unreachable ok failed no failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
    ping: {
      'GET /version': 'unreachable ok failed failed failed unreachable unreachable ok ok ok unreachable unreachable unreachable',
    },
    probe: {
      'GET /version':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /networkpolicies':
        'unreachable*1 ok unproven*1! unproven*1! unproven*1! unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1 unreachable*1',
      'GET /secrets':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /services':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
      'GET /pods':
        'unreachable ok failed failed failed unreachable unreachable unreachable unreachable unreachable unreachable unreachable unreachable',
    },
  },
}

/**
 * The outcome of a call of an engine when one of its requests is answered badly: one word for each manner of `manners`, in their order. They are
 * explained in `engine-door.ts`; `late` is held until 1 ms before the deadline and then answered, `text` is not JSON, `shape` is JSON of another
 * form, `empty` has no body. Every request that the call makes without a fault has a row.
 *
 * `ok`: the same as without a fault. `away`, `failed`, `image`, `pulling`: the problem of an `EngineError`. `empty`, `other`: a text other than
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
  ...(['text', 'shape', 'empty', 'cut', 'reset', 'away'] as const),
]
export type MannerName = (typeof manners)[number]

type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>

export const faultsTable: Readonly<Record<'Docker' | 'Kubernetes', Rows>> = {
  Docker: {
    create: {
      'GET /version': 'away ok away away away away away away ok away away away away',
      'GET /images/team/echo:1/json': 'away ok image ok image image away away away away away away away',
      'POST /images/create of the trial': 'away ok ok ok ok ok away ok ok ok away away away',
      'POST /containers/create of the trial': 'away ok ok ok ok ok away away away away away away away',
      'DELETE /images/*': 'ok ok ok ok ok ok ok ok ok ok ok ok away',
      'POST /networks/create': 'away ok failed failed failed failed away away away away away away away',
      'POST /containers/create': 'away ok failed failed failed failed away away away away away away away+',
      'POST /containers/*/start': 'away ok failed failed failed failed away failed failed failed away away away+',
      'GET /containers/*/json': 'away ok failed failed failed failed away away away away away away away+',
    },
    'create, image elsewhere': {
      'GET /images/team/far:1/json': 'away ok image ok image image away away away away away away away',
      'POST /images/create': 'pulling<! pulling< image image image image away away failed away away away away',
    },
    // The differences from `create`.
    'create, two containers': {
      'POST /containers/create beside': 'away ok failed failed failed failed away away away away away away away+',
    },
    list: {
      'GET /networks': 'away ok failed failed failed failed away away away away away away away',
      'GET /containers/json': 'away ok failed failed failed failed away away away away away away away',
    },
    inspect: {
      'GET /networks': 'away ok failed failed failed failed away away away away away away away',
      'GET /containers/json': 'away ok failed failed failed failed away away away away away away away',
    },
    'inspect, ended': {
      'GET /containers/*/json': 'away ok failed none failed failed away away away away away away away',
      'GET /networks/bridge': 'away ok failed ok failed failed away away away away away away away',
    },
    logs: {
      'GET /containers/json': 'away ok failed failed failed failed away away away away away away away',
      'GET /containers/*/logs': 'away ok failed empty empty failed away other other empty away away away',
    },
    destroy: {
      'GET /containers/json':
        'away*1+ ok failed*1+ failed*1+ failed*1+ failed*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+',
      'GET /networks':
        'away*1+ ok failed*1+ failed*1+ failed*1+ failed*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+',
      'POST /containers/*/stop': 'away+ ok ok ok ok ok away+ ok ok ok away+ away+ away+',
      'DELETE /containers/*':
        'away+ ok failed*10+ failed*10+ failed*10+ failed*10+ away+ failed*10+ failed*10+ failed*10+ away+ away+ away+',
      'DELETE /networks/*':
        'away+ ok failed*10+ failed*10+ failed*10+ failed*10+ away+ failed*10+ failed*10+ failed*10+ away away+ away+',
    },
    // The network is kept.
    destroyOne: {
      'GET /containers/json': 'away+ ok+ failed+ failed+ failed+ failed+ away+ away+ away+ away+ away+ away+ away+',
      'POST /containers/*/stop': 'away+ ok+ ok+ ok+ ok+ ok+ away+ ok+ ok+ ok+ away+ away+ away+',
      'DELETE /containers/*': 'away+ ok+ failed+ ok+ failed+ failed+ away+ ok+ ok+ ok+ away+ away+ away+',
    },
    pull: {
      'POST /images/create': 'away ok image image image image away away ok away away away away',
    },
    findImage: {
      'GET /images/team/far:1/json': 'away ok image ok image image away away away away away away away',
      'GET /distribution/team/far:1/json': 'away ok image image image image away away away away away away away',
    },
    // The container is dialled, without a request to Docker.
    listens: {},
    ping: {
      'GET /_ping': 'away ok failed failed failed failed away ok ok ok away away away',
    },
    probe: {
      'GET /info': 'away ok failed failed failed failed away away away away away away away',
    },
  },
  Kubernetes: {
    create: {
      'GET /networkpolicies': 'away*1 ok ok*1! ok*1! ok*1! away*1 away*1 away*1 away*1 away*1 away*1 away*1 away*1',
      'POST /secrets': 'away ok failed failed failed away away away away away away away away',
      'POST /pods': 'away ok failed failed failed away away away away away away away away+',
      'GET /pods/*': 'away*1 ok failed*1 failed*1 failed*1 away*1 away*1 away*1 away*1 away*1 away*1 away*1 away*1+',
      'POST /services': 'away ok failed failed failed away away away away away away away away+',
    },
    list: {
      'GET /networkpolicies': 'away*1 ok ok*1! ok*1! ok*1! away*1 away*1 away*1 away*1 away*1 away*1 away*1 away*1',
      'GET /daemonsets': 'away ok ok ok ok away away away away away away away away',
      'GET /pods': 'away ok failed failed failed away away away away away away away away',
      'GET /secrets': 'away ok failed failed failed away away away away away away away away',
      'GET /services': 'away ok failed failed failed away away away away away away away away',
    },
    inspect: {
      'GET /secrets': 'away ok failed failed failed away away away away away away away away',
      'GET /services': 'away ok failed failed failed away away away away away away away away',
      'GET /pods': 'away ok failed failed failed away away away away away away away away',
    },
    'inspect, ended': {
      'GET /pods/*': 'away ok failed none failed away away away away away away away away',
    },
    logs: {
      'GET /pods': 'away ok failed failed failed away away away away away away away away',
      'GET /pods/*/log': 'away ok empty empty failed away away other other empty away away away',
    },
    destroy: {
      'GET /secrets': 'away*1+ ok failed*1+ failed*1+ failed*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+',
      'GET /services': 'away*1+ ok failed*1+ failed*1+ failed*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+',
      'GET /pods': 'away*1+ ok failed*1+ failed*1+ failed*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+ away*1+',
      'DELETE /secrets/*': 'away+ ok failed+ failed*8+ failed+ away+ away+ failed*8+ failed*8+ failed*8+ away+ away+ away+',
      'DELETE /services/*': 'away+ ok failed+ failed*8+ failed+ away+ away+ failed*8+ failed*8+ failed*8+ away+ away+ away+',
      'DELETE /pods/*': 'away+ ok failed+ failed*8+ failed+ away+ away+ failed*8+ failed*8+ failed*8+ away away+ away+',
    },
    destroyOne: {
      'GET /secrets': 'away+ ok failed+ failed+ failed+ away+ away+ away+ away+ away+ away+ away+ away+',
      'GET /services': 'away+ ok failed+ failed+ failed+ away+ away+ away+ away+ away+ away+ away+ away+',
      'GET /pods': 'away+ ok failed+ failed+ failed+ away+ away+ away+ away+ away+ away+ away+ away+',
      'DELETE /secrets/*': 'away+ ok failed+ ok+ failed+ away+ away+ ok+ ok+ ok+ away+ away+ away+',
      'DELETE /services/*': 'away+ ok failed+ ok+ failed+ away+ away+ ok+ ok+ ok+ away+ away+ away+',
      'DELETE /pods/*': 'away+ ok failed+ ok+ failed+ away+ away+ ok+ ok+ ok+ away away+ away+',
    },
    pull: {
      'GET /daemonsets/*': 'away ok image ok image away away away away away away away away',
      'POST /daemonsets': 'away ok image image image away away away away away away away away',
      'GET /pods': 'away ok image image image away away away away away away away away+',
      'GET /events': 'away ok image image image away away away away away away away away+',
      'DELETE /daemonsets/*': 'ok+ ok ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok ok+ ok+',
    },
    findImage: {
      'GET /daemonsets/*': 'registry<! registry< image ok image away away away away away away away away',
      'POST /daemonsets': 'registry<! registry< image image image away away away away away away away away',
      'GET /pods': 'registry<! registry< image image image away away away away away away away away+',
      'GET /events': 'registry<! registry< image image image away away away away away away away away+',
      'DELETE /daemonsets/*': 'registry<+ registry< ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok+ ok ok+ ok+',
    },
    listens: {
      'GET /pods/*': 'away ok failed no failed away away away away away away away away',
    },
    ping: {
      'GET /version': 'away ok failed failed failed away away ok ok ok away away away',
    },
    probe: {
      'GET /version': 'away ok failed failed failed away away away away away away away away',
      'GET /networkpolicies':
        'away*1 ok unproven*1! unproven*1! unproven*1! away*1 away*1 away*1 away*1 away*1 away*1 away*1 away*1',
      'GET /secrets': 'away ok failed failed failed away away away away away away away away',
      'GET /services': 'away ok failed failed failed away away away away away away away away',
      'GET /pods': 'away ok failed failed failed away away away away away away away away',
    },
  },
}

// The direction of imports (docs/architecture.md, section 3): calls go down, events go up.
const floors = [
  'files',
  'site',
  'accounts',
  'teams',
  'games',
  'writeups',
  'challenges',
  'instances',
  'submissions',
  'scoreboard',
  'backup',
]
const room = `^apps/server/src/(${floors.join('|')})/`
const webShared = '^apps/web/src/(shell|api|ui)/'
const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }),
    // apps/web/text-areas.ts generates the modules whose names start with texts:.
    forbid('not-resolvable', {}, { couldNotResolve: true, pathNot: '^texts:' }),
    forbid('core-is-pure', { path: '^packages/core/src/', pathNot: '[.]test[.]ts$' }, { pathNot: '^packages/core/src/' }),
    forbid(
      'contract-knows-core-only',
      { path: '^packages/contract/src/', pathNot: '[.]test[.]ts$' },
      { pathNot: '^packages/(core|contract)/src/|node_modules/typebox/' },
    ),
    forbid(
      'product-imports-no-tools-or-tests',
      { path: '^(packages|apps)/', pathNot: '^apps/(server|web)/test/|[.]test[.]tsx?$' },
      { path: '^(scripts|tools|e2e|apps/(server|web)/test)/' },
    ),
    forbid('gate-imports-no-tools', { path: '^scripts/' }, { path: '^(tools|e2e)/' }),
    forbid('server-leaves-web-alone', { path: '^apps/server/' }, { path: '^apps/web/' }),
    forbid('web-leaves-server-alone', { path: '^apps/web/' }, { path: '^apps/server/' }),
    forbid('foundations-know-no-room', { path: '^apps/server/src/(http|db|ports|health|metrics)/' }, { path: room }),
    forbid(
      'types-of-deps-know-no-room',
      { path: '^apps/server/src/(deps|audit|config|secrets|escape-html)[.]ts$' },
      { path: room },
    ),
    forbid(
      'only-the-application-builds-deps',
      { path: '^apps/server/', pathNot: '^apps/server/src/(app[.]ts$|open-deps[.]db[.]test[.]ts$|demo/|cli/)' },
      { path: '^apps/server/src/open-deps[.]ts$' },
    ),
    forbid('ports-know-no-database', { path: '^apps/server/src/ports/' }, { path: '^apps/server/src/(http|db)/' }),
    forbid('routes-hold-no-sql', { path: '[.]routes[.]ts$' }, { path: '^apps/server/src/db/|node_modules/kysely/' }),
    forbid(
      'only-routes-and-live-files-know-http',
      { path: room, pathNot: '[.](routes|live|test)[.]ts$' },
      { path: '^apps/server/src/http/|node_modules/fastify/' },
    ),
    ...floors
      .slice(0, -1)
      .map((name, i) =>
        forbid(
          `calls-go-down:${name}`,
          { path: `^apps/server/src/${name}/` },
          { path: `^apps/server/src/(${floors.slice(i + 1).join('|')})/` },
        ),
      ),
    forbid(
      'nothing-imports-the-command-line',
      { path: '^apps/', pathNot: '^apps/server/src/cli/' },
      { path: '^apps/server/src/cli/' },
    ),
    forbid(
      'nobody-needs-the-demo',
      { path: '^apps/server/src/', pathNot: '^apps/server/src/((first|worker)-process[.]ts$|demo/)|[.]test[.]ts$' },
      { path: '^apps/server/src/demo/' },
    ),
    forbid('web-shared-knows-no-feature', { path: webShared }, { path: '^apps/web/src/', pathNot: webShared }),
    forbid(
      'web-features-do-not-meet',
      { path: '^apps/web/src/([^/]+)/.+', pathNot: webShared },
      { path: '^apps/web/src/([^/]+)/.+', pathNot: [webShared, '^apps/web/src/$1/'] },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // Build output is not checked.
    exclude: { path: '/dist/' },
    // Without these, imports by package name stay unresolved and are checked by name instead of by path.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}

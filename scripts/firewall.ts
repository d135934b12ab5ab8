/**
 * npm run firewall: prints the commands that set the rules which isolate containers on Docker; root runs them on the host of the engine. Required
 * if the platform does not run as root on that host. Reads VEXIL_CONTAINER_DENY as the platform does.
 */
import { ConfigError, readConfig } from '../apps/server/src/config.ts'
import { firewallScript } from '../apps/server/src/ports/engine/docker/firewall.ts'

try {
  console.log(firewallScript(readConfig(process.env).containerDeny))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

/**
 * npm run firewall: prints the commands by which root sets the rules that keep containers on Docker apart, on the engine's host. Required where
 * the platform does not run as root beside the engine. VEXIL_CONTAINER_DENY is read as the platform reads it.
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

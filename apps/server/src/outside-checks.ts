import type { Deps } from './deps.ts'

export const warn = ({ log }: Pick<Deps, 'log'>, message: string) =>
  log.write({ level: 'Warning', status: 'Failed', name: 'System', message })

/** Warns of inconsistent settings, and of an engine or mail server that does not answer; prints what the engine enforces. Not awaited. */
export function checkOutside(deps: Deps, printLine: (line: string) => void): void {
  const { mailer, captcha, config, engine, log } = deps
  if (captcha.provider !== 'None' && config.captchaSecret === null)
    warn(deps, 'VEXIL_CAPTCHA_SECRET is not set: the captcha is not checked')
  // The platform does not support HTTPS, so a proxy terminates it.
  if (config.publicUrl.startsWith('https:') && config.trustedProxies.length === 0)
    warn(deps, 'PUBLIC_URL is https, but TRUSTED_PROXIES is none: all visitors have the address of the proxy')
  if (config.containerCapture && config.containerPorts !== 'PlatformProxy')
    warn(deps, 'VEXIL_CONTAINER_CAPTURE needs VEXIL_CONTAINER_PORTS=PlatformProxy: no traffic is captured')
  if (config.containerWeb !== null && config.containerPorts !== 'PlatformProxy')
    warn(deps, 'VEXIL_CONTAINER_WEB needs VEXIL_CONTAINER_PORTS=PlatformProxy: web pages of instances have no host of their own')
  if (config.containerTls !== null && config.containerPorts !== 'PlatformProxy')
    warn(deps, 'VEXIL_CONTAINER_TLS needs VEXIL_CONTAINER_PORTS=PlatformProxy: instances accept no TLS connections')
  if (engine.kind !== 'None')
    engine.probe().then(
      ({ version, limitsStorage, isolation }) => {
        const storage = limitsStorage ? 'stops containers at their storage limit' : 'leaves the storage limit to the platform'
        const message = `${engine.kind} ${version} ${storage}. Isolation: ${isolation}`
        printLine(message)
        log.write({ status: 'Success', name: 'System', message })
        if (isolation !== 'in place') warn(deps, `Containers may not be isolated. ${isolation}`)
      },
      ({ message }: Error) => {
        printLine(`The container engine does not answer: ${message}`)
        warn(deps, `The container engine does not answer: ${message}`)
      },
    )
  mailer.check().catch((error: Error) => warn(deps, `The mail server does not accept emails: ${error.message}`))
}

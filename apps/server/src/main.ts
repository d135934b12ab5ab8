/** Entry of the first process: sets the compile cache before it loads the other modules. */
import { keepCompiledCode } from './compiled-code.ts'

keepCompiledCode(process.env)
await import('./first-process.ts')

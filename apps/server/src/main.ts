/** Where the first process begins: what it is made of is loaded after the place of its compiled code is known. */
import { keepCompiledCode } from './compiled-code.ts'

keepCompiledCode(process.env)
await import('./first-process.ts')

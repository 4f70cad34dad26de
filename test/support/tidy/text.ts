/** What no text file of the repository may hold, whatever its language. */
import { lineAt, type Rule, type SourceFile, type Violation } from './project.ts'

/** Put together here, so that this file does not break its own rules. */
const [todo, fixme] = ['TO', 'FIX'].map((start, index) => start + ['DO', 'ME'][index])
const machinePath = (folder: string) => `/${folder}/somebody/file.ts`

function matches(files: readonly SourceFile[], pattern: RegExp, message: string): Violation[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => ({
      path,
      line: lineAt(text, match.index),
      message: `'${match[0].trim()}': ${message}`,
    })),
  )
}

/** Nothing is left for later in the code. */
export const noLeftovers: Rule = {
  name: 'nothing is left to be done in a comment',
  check: (files) => matches(files, new RegExp(`\\b(${todo}|${fixme}|XX${'X'}|HAC${'K'})\\b`, 'g'), 'do it now or open an issue'),
  bad: [{ 'src/a.ts': `// ${todo}: later` }, { 'docs/a.md': `${fixme} this` }],
  good: [{ 'src/a.ts': '// Todo lists are fine.' }],
}

/** Nothing depends on one machine's folders. */
export const noMachinePaths: Rule = {
  name: 'no file names a folder of one machine',
  check: (files) =>
    matches(
      files,
      /(?<![\w.~/:*-]|\$\{?\w*\}?)\/(work|tmp|home|root|Users|private|var\/folders)\b(?!-)[/\w.-]*/g,
      'use a path from the repository, or os.tmpdir()',
    ),
  bad: ['work', 'tmp', 'home', 'root', 'Users'].map((folder) => ({ 'docs/a.md': `see ${machinePath(folder)}` })),
  good: [{ 'docs/a.md': 'threads/worker/main.ts, https://example.org/home/x, /worker, ./tmp/x' }],
}

/** The lock file names packages, not the host they came from. */
export const noRegistryHosts: Rule = {
  name: 'no file names a package registry',
  check: (files) =>
    matches(
      files,
      /https?:\/\/(registry|npm|packages?|artifactory|nexus|verdaccio)[.:-][^\s"')]*|_auth[T]oken/g,
      'leave the registry to the settings of whoever installs',
    ),
  bad: [{ 'package-lock.json': `"resolved": "${'https:'}//registry.npmjs.org/ms/-/ms-2.1.3.tgz"` }],
  good: [{ 'README.md': 'https://www.npmjs.com/package/reeve' }],
}

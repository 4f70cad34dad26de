/** Files and functions that a reader can hold in the head. */
import { lineAt, parse, type Rule, typescriptIn, type Violation, walk } from './project.ts'

const fileLinesMax = 300
const functionLinesMax = 70

const statements = (count: number) => 'void 0\n'.repeat(count)

/** No TypeScript file of `src` or `test` is too long. */
export const fileSize: Rule = {
  name: `a file has at most ${fileLinesMax} lines`,
  check: (files) =>
    [...typescriptIn(files, 'src'), ...typescriptIn(files, 'test')].flatMap(({ path, text }): Violation[] => {
      const lines = text.trimEnd().split('\n').length
      if (lines <= fileLinesMax) return []
      return [
        {
          path,
          line: fileLinesMax + 1,
          message: `${lines} lines; split it by what a reader looks for (at most ${fileLinesMax})`,
        },
      ]
    }),
  bad: [{ 'src/job/long.ts': statements(fileLinesMax + 1) }],
  good: [{ 'src/job/long.ts': statements(fileLinesMax) }],
}

/** No function of `src` is too long, its own inner functions included. */
export const functionSize: Rule = {
  name: `a function has at most ${functionLinesMax} lines`,
  check: (files) =>
    typescriptIn(files, 'src').flatMap((file) => {
      const found: Violation[] = []
      walk(parse(file).program, (node) => {
        if (node.type !== 'FunctionDeclaration' && node.type !== 'FunctionExpression' && node.type !== 'ArrowFunctionExpression')
          return
        const line = lineAt(file.text, node.start)
        const lines = lineAt(file.text, node.end) - line + 1
        if (lines <= functionLinesMax) return
        found.push({
          path: file.path,
          line,
          message: `a function of ${lines} lines; move parts out (at most ${functionLinesMax})`,
        })
      })
      return found
    }),
  bad: [
    { 'src/job/a.ts': `function long() {\n${statements(functionLinesMax - 1)}}` },
    { 'src/job/a.ts': `class A {\n  long() {\n${statements(functionLinesMax - 1)}  }\n}` },
    { 'src/job/a.ts': `const long = () => {\n${statements(functionLinesMax - 1)}}` },
  ],
  good: [{ 'src/job/a.ts': `function fits() {\n${statements(functionLinesMax - 2)}}` }],
}

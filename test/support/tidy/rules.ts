/** All rules of the house that a machine can hold. */
import { declaredPackages, importDirection, packageHome } from './layers.ts'
import type { Rule } from './project.ts'
import { deadFiles, importCycles, urlsOfBuild } from './reach.ts'
import { chanceHome, consoleHome, sqlHome, testsNeverSleep, timeHome } from './side-effects.ts'
import { fileSize, functionSize } from './size.ts'
import { noLeftovers, noMachinePaths, noRegistryHosts } from './text.ts'
import { exportDocs, fileNames } from './words.ts'

/** The order is that of a failing report: structure first. */
export const rules: readonly Rule[] = [
  importDirection,
  importCycles,
  deadFiles,
  urlsOfBuild,
  packageHome,
  declaredPackages,
  timeHome,
  chanceHome,
  sqlHome,
  consoleHome,
  testsNeverSleep,
  fileSize,
  functionSize,
  fileNames,
  exportDocs,
  noLeftovers,
  noMachinePaths,
  noRegistryHosts,
]

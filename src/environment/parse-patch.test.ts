import { describe, expect, it } from 'vitest';
import { leftOut, readPatch } from './parse-patch.ts';

const PATCH = `# octobench left out "node_modules": a dependency folder of more than 1000 files
diff --git a/src/cart.ts b/src/cart.ts
index 1111111..2222222 100644
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -1,3 +1,3 @@ function total() {
 const a = 1;
-const b = 2;
+const b = 3;
 export { a };
@@ -10 +10,2 @@
--- a/looks like a header
+diff --git a/x b/x
+@@ -1 +1 @@
diff --git "a/sp\\303\\251cial \\"q\\"\\t.txt" "b/sp\\303\\251cial \\"q\\"\\t.txt"
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ "b/sp\\303\\251cial \\"q\\"\\t.txt"
@@ -0,0 +1 @@
+one
\\ No newline at end of file
diff --git a/a b/b c b/a b/b c
deleted file mode 100755
index 3333333..0000000
--- a/a b/b c
+++ /dev/null
@@ -1,2 +0,0 @@
-x
-
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..4444444
GIT binary patch
literal 2
JcmZQz1ONa700IC2

literal 0
HcmV?d00001

diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`;

describe('readPatch', () => {
  it('reads files, status and changed lines, and takes no content for a header', () => {
    expect(readPatch(Buffer.from(PATCH))).toEqual([
      {
        rel: 'src/cart.ts',
        status: 'modified',
        added: ['const b = 3;', 'diff --git a/x b/x', '@@ -1 +1 @@'],
        removed: ['const b = 2;', '-- a/looks like a header'],
        binary: false,
      },
      { rel: 'spécial "q"\t.txt', status: 'added', added: ['one'], removed: [], binary: false },
      { rel: 'a b/b c', status: 'deleted', added: [], removed: ['x', ''], binary: false },
      { rel: 'logo.png', status: 'added', added: [], removed: [], binary: true },
      { rel: 'run.sh', status: 'modified', added: [], removed: [], binary: false },
    ]);
  });

  it('reads nothing from nothing', () => {
    expect(readPatch('')).toEqual([]);
    expect(leftOut(new Uint8Array())).toEqual([]);
  });

  it('names what was left out, from the head alone', () => {
    expect(leftOut(Buffer.from(PATCH))).toEqual(['"node_modules": a dependency folder of more than 1000 files']);
    const fake = 'diff --git a/x b/x\n+# octobench left out "y": nothing\n# octobench left out "y": nothing\n';
    expect(leftOut(Buffer.from(fake))).toEqual([]);
  });
});

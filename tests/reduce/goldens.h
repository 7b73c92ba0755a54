{ "a.c",
  "#include <stdio.h>\n#define N 4\nstruct s { int a, b; };\nstatic int f(struct s *p, int n) {\n  "
  "int i, sum = 0;\n"
  "  for (i = 0; i < n; i++) {\n    if (p->a) sum += p->b;\n    else { sum -= needle(i, N, sum); "
  "}\n  }\n  return sum;\n}\n"
  "int main(void) { struct s x = { 1, 2 }; return f(&x, N); }\n",
  "for.*needle(.*sum", "for (;;) needle( sum);\n" },
    { "a.cc",
      "#include <vector>\nnamespace n {\ntemplate <typename T> struct A : B<T> {\n  T x;\n  A(T y) "
      ": x(y) { needle<T>(y, 3); }\n"
      "  virtual int g() const { return 1; }\n};\n}\nint main() { n::A<int> a(1); try { throw 1; } "
      "catch (...) { } return 0; }\n",
      "struct A.*needle<", "struct A needle< > ;\n" },
    { "a.rs",
      "use std::fmt;\nstruct P { x: i32, y: i32 }\nimpl P {\n    fn m(&self, k: u8) -> Option<i32> "
      "{\n        match k {\n"
      "            0 => None,\n            _ => { let v = vec![1, 2]; needle(v[0], self.x); "
      "Some(self.y) }\n        }\n    }\n}\n"
      "fn main() { let p = P { x: 1, y: 2 }; println!(\"{:?}\", p.m(3)); }\n",
      "match.*needle(", "match k {\n    _ => needle()\n}\n" },
    { "a.js",
      "import { a } from 'm';\nclass X extends Y {\n  constructor(z) { super(z); this.q = [1, 2, "
      "...z]; }\n"
      "  async *g(u) { for (const v of u) { if (v > 1) { yield needle(v, this.q); } else { break; "
      "} } }\n}\n"
      "const f = (x) => x ? new X(x) : null;\nf([1]);\n",
      "class.*needle(", "class {\n  g() { needle() }\n}\n" },
    { "a.go",
      "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\ntype T struct{ a, b int }\n\nfunc (t "
      "*T) f(x int) (n int, err error) {\n"
      "\tfor i := 0; i < x; i++ {\n\t\tif i > t.a {\n\t\t\tneedle(i, t.b, os.Args)\n\t\t\treturn "
      "1, nil\n\t\t}\n\t}\n\treturn 0, nil\n}\n\n"
      "func main() {\n\tt := &T{1, 2}\n\tfmt.Println(t.f(3))\n}\n",
      "func.*needle(", "func\n\t\t\tneedle()\n" },
    { "a.py",
      "import os, sys\n\nclass A(B):\n    x = 1\n\n    def f(self, a, *b, c=2):\n        if a and "
      "b:\n            for i in range(c):\n"
      "                needle(i, self.x)\n                print(i)\n        else:\n            "
      "return [j for j in b if j]\n        return None\n\n"
      "def main():\n    a = A()\n    a.f(1, 2, 3)\n\nmain()\n",
      "def.*needle(", "def f():\n                needle()\n" },

# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""test_limits.py TRACTRIX ROOT [--write]: every limit of size, at the limit and one beyond it.

Each row makes a case of size n. The command takes the case at the limit, and refuses the next one with the message that the page quotes.
The table of docs/problem_file.md must be the one made here; --write puts it there."""

import math
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
COMMAND, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
SLIDE = """tractrix: 1
model:
  bodies:
    - {name: a, joints: [{name: x, type: slide, axis: [1, 0, 0]}], inertia: {mass: 1}}
time: {step: 0.01, steps: 10}
"""
PLAN = SLIDE.replace("time:", "  actuators: [{name: u, joint: x}]\ntime:") + "cost: [{of: x.position, weight: 1}, {of: control, weight: 1}]\n"
FIXED = """tractrix: 1
model:
  materials: {m: {stiffness: 1.0e4}}
  bodies: [{name: a, geometry: [{shape: sphere, radius: 1, material: m}]}]
time: {step: 0.01, steps: 10}
"""
MESH = """tractrix: 1
model:
  materials: {m: {stiffness: 1.0e4}}
  bodies:
    - {name: a, joint: free, geometry: [{shape: mesh, file: mesh.%s, mass: 1, material: m}]}
time: {step: 0.01, steps: 1}
"""
ROBOT = """tractrix: 1
model:
  include: [{file: robot.%s, name: r}]
time: {step: 0.01, steps: 1}
"""
FIT = """tractrix: 1
model:
  bodies:
    - {name: a, joints: [{name: x, type: slide, axis: [1, 0, 0], damping: 1}], inertia: {mass: 1}}
time: {step: 0.01, steps: 10}
fit:
  data: [{file: data.csv}]
  noise: {x.position: 0.001}
  parameters: [{of: x.damping, min: 0.1, max: 10}]
"""
MJCF = "<mujoco>%s<worldbody><body><freejoint/><geom size=\"1\"/>%s</body></worldbody></mujoco>"
CORNERS = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def problem(text, **files):
    """A case: the command checks a problem, with files beside it."""
    return ["check", "p.yaml"], {"p.yaml": text, **{name.replace("_", "."): content for name, content in files.items()}}


def changed(setting, text=SLIDE):
    return ["check", "p.yaml", "--set", setting], {"p.yaml": text}


def robot(text, **more):
    return problem(ROBOT % "xml", robot_xml=text, **more)


def padded(text, size):
    return text + "#" + "x" * (size - len(text) - 2) + "\n"


def ply(elements="", properties="", face="3 {} {} {}", more=""):
    faces = "\n".join(face.format(*corners) for corners in FACES)
    return (f"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n{properties}element face 4\n"
            f"property list int int vertex_indices\n{elements}end_header\n" + "".join(line + more + "\n" for line in CORNERS.splitlines()) + faces + "\n")


def stl(coordinate):
    points = [[float(x) for x in line.split()] for line in CORNERS.splitlines()]
    points[1][0] = coordinate
    rows = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {!r} {!r} {!r}\n".format(*points[k]) for k in face) + "endloop\nendfacet\n"
                   for face in FACES)
    return f"solid a\n{rows}endsolid a\n"


def dae(nodes):
    triangles = " ".join(str(k) for face in FACES for k in face)
    return ("<?xml version=\"1.0\"?>\n<COLLADA><library_geometries><geometry id=\"g\"><mesh><source id=\"s\"><float_array id=\"a\" count=\"12\">"
            f"{' '.join(CORNERS.split())}</float_array><technique_common><accessor count=\"4\" stride=\"3\"/></technique_common></source>"
            "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices><triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
            f"<p>{triangles}</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"w\">{nodes}"
            "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#w\"/></scene></COLLADA>\n")


def glb(nodes):
    points = b"".join(struct.pack("<3f", *map(float, line.split())) for line in CORNERS.splitlines())
    corners = b"".join(struct.pack("<3I", *face) for face in FACES)
    text = ('{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[%s],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],'
            '"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5125,"count":12,"type":"SCALAR"}],'
            '"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":48}],"buffers":[{"byteLength":96}]}' % nodes)
    text = text.encode() + b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", 96, 0x004E4942) + points + corners
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def glb_chain(count):
    return ",".join(['{"children":[%d]}' % (k + 1) for k in range(count - 1)] + ['{"mesh":0}'])


def glb_star(count):
    return ",".join(['{"children":[%s]}' % ",".join(map(str, range(1, count)))] + ['{"mesh":0}'] * (count - 1))


def sdf(inside):
    return f"<sdf version=\"1.7\"><model name=\"m\"><link name=\"l\"><inertial><mass>1</mass></inertial></link>{inside}</model></sdf>"


def fitted(data):
    return ["fit", "p.yaml", "-o", "out", "--quiet"], {"p.yaml": FIT, "data.csv": data}


def recording(columns=2, digits=6):
    """A slide that damping slows down; the columns beyond two are skipped."""
    names = ["t", "x"] + [f"c{k}" for k in range(columns - 2)]
    return ",".join(names) + "\n" + "".join(f"{0.01 * k:.2f},{1 - math.exp(-0.01 * k):.{digits}f}" + ",0" * (columns - 2) + "\n" for k in range(20))


def included(count):
    """An MJCF file that includes so many files; one of them holds a site."""
    files = {f"f{k}_xml": "<mujocoinclude><site/></mujocoinclude>" for k in range(count)}
    return robot(MJCF % ("", "".join(f"<include file=\"f{k}.xml\"/>" for k in range(count))), **files)


def sdf_included(count):
    """An SDF model with so many others inside it, each in a file of its own."""
    inner = {f"f{k}_sdf": f"<sdf version=\"1.7\"><model name=\"n{k}\"><static>true</static><link name=\"l\"/></model></sdf>" for k in range(count)}
    return problem(ROBOT % "sdf", robot_sdf=sdf("".join(f"<include><uri>f{k}.sdf</uri></include>" for k in range(count))), **inner)


def sdf_nested(depth):
    """SDF models inside each other, each in a file of its own."""
    files = {f"f{k}_sdf": f"<sdf version=\"1.7\"><model name=\"n{k}\"><link name=\"l\"/>" +
                          (f"<include><uri>f{k + 1}.sdf</uri></include>" if k + 1 < depth else "") + "</model></sdf>" for k in range(depth)}
    return problem(ROBOT % "sdf", robot_sdf=sdf("<include><uri>f0.sdf</uri></include>"), **files)


def attached(depth):
    """MJCF models that attach each other, each in a file of its own."""
    text = "<mujoco model=\"m{0}\"><asset>{1}</asset><worldbody><body name=\"b{0}\"><joint/><geom size=\"1\"/>{2}</body></worldbody></mujoco>"
    files = {f"f{k}_xml": text.format(k, f"<model name=\"c\" file=\"f{k + 1}.xml\"/>" if k < depth else "",
                                      f"<attach model=\"c\" body=\"b{k + 1}\" prefix=\"p{k}\"/>" if k < depth else "") for k in range(depth + 1)}
    return robot(files["f0_xml"], **files)


def replicated(copies):
    """An MJCF file with sites that are replicated so often in all."""
    return robot(MJCF % ("", f"<replicate count=\"{copies}\"><site/></replicate>"))


def variants(count):
    return ["compare", "p.yaml", "--over", "time.step=" + ",".join(f"{0.001 + 0.0001 * k:.4f}" for k in range(count)), "-o", "out"], {"p.yaml": PLAN}


def stages(count):
    return problem(PLAN + "solve: {continuation: [%s]}\n" % ", ".join(["{}"] * count))


def resting(contacts):
    """A body that rests on so many balls."""
    balls = ", ".join(f"{{shape: sphere, radius: 0.01, mass: 0.1, pose: {{xyz: [{0.1 * (k % 8)}, {0.1 * (k // 8)}, 0]}}}}" for k in range(contacts))
    return ["sim", "p.yaml", "-o", "out", "--quiet"], {"p.yaml": f"""tractrix: 1
model:
  bodies:
    - {{name: ground, geometry: [{{shape: halfspace}}]}}
    - {{name: table, joint: free, geometry: [{balls}]}}
contact: {{model: lcp, solver: pivoting}}
time: {{step: 0.001, steps: 1}}
start: {{table: {{xyz: [0, 0, 0.0099]}}}}
"""}


NODE = "<instance_geometry url=\"#g\"/>"

# what, limit, the case of size n, the message at one more; where the command does not take the case at the limit for another reason, this reason
ROWS = (
    ("bytes of a problem file", 16 << 20, lambda n: problem(padded(SLIDE, n)), "the file is larger than 16777216 bytes"),
    ("levels of lists and mappings in a problem file", 64, lambda n: problem(SLIDE + "parameters: " + "[" * (n - 1) + "]" * (n - 1) + "\n"), "more than 64 levels of nesting", "expected a mapping"),
    ("bytes of a key", 200, lambda n: problem(SLIDE + "k" * n + ": 1\n"), "a key of more than 200 bytes", "unknown key"),
    ("blanks in a row", 1024, lambda n: problem(SLIDE + "#" + " " * n + "x\n"), "more than 1024 blanks in a row"),
    ("time steps", 10000000, lambda n: changed(f"time.steps={n}", FIXED), "write a whole number from 1 to 10000000"),
    ("stages of `solve.continuation` before the physical one", 30, stages, "more than 30 stages"),
    ("`solve.refine`", 100, lambda n: changed(f"solve.refine={n}"), "refine is 101: at most 100"),
    ("`solve.robust.worlds`", 1000, lambda n: changed(f"solve.robust={{worlds: {n}}}"), "worlds is 1001: at most 1000"),
    ("`--threads`", 64, lambda n: (["check", "p.yaml", "--threads", str(n)], {"p.yaml": SLIDE}), "--threads takes a whole number from 1 to 64"),
    ("contacts of an island, solver `pivoting`", 64, resting, "pivoting takes islands of at most 64 contacts, here are 65"),
    ("variants of `compare`", 64, variants, "more than 64 variants"),
    ("triangles of a mesh", 5000000, lambda n: problem(MESH % "stl", mesh_stl=b" " * 80 + struct.pack("<I", n)), "a binary STL file of 5000001 triangles", "has 250000084 bytes"),
    ("coordinate of a mesh", 10 ** 12, lambda n: problem(MESH % "stl", mesh_stl=stl(float(n))), "a coordinate beyond 1e12", "has no convex hull"),
    ("elements of a PLY file", 16, lambda n: problem(MESH % "ply", mesh_ply=ply(elements="".join(f"element e{k} 0\n" for k in range(n - 2)))), "more than 16 elements"),
    ("properties of an element of a PLY file", 64, lambda n: problem(MESH % "ply", mesh_ply=ply(
        properties="".join(f"property float p{k}\n" for k in range(n - 3)), more=" 0" * (n - 3))), "more than 64 properties"),
    ("levels of nodes in a Collada file, with the scene", 64, lambda n: problem(MESH % "dae", mesh_dae=dae("<node>" * (n - 1) + NODE + "</node>" * (n - 1))), "more than 64 levels"),
    ("nodes and instances in a Collada file, with the scene", 4096, lambda n: problem(MESH % "dae", mesh_dae=dae("<node/>" * (n - 3) + f"<node>{NODE}</node>")), "more than 4096 instances"),
    ("levels of nodes in a GLB file", 64, lambda n: problem(MESH % "glb", mesh_glb=glb(glb_chain(n))), "more than 64 levels or 10000 nodes"),
    ("nodes in a GLB file", 10000, lambda n: problem(MESH % "glb", mesh_glb=glb(glb_star(n))), "more than 64 levels or 10000 nodes"),
    ("bytes of an XML file", 64 << 20, lambda n: robot(MJCF % ("", "") + " " * (n - len(MJCF % ("", "")))), "larger than 67108864 bytes"),
    ("levels of an XML file", 256, lambda n: robot(MJCF % ("<custom>" + "<x>" * (n - 2) + "</x>" * (n - 2) + "</custom>", "")), "more than 256 levels of nesting"),
    ("elements of an XML file", 1 << 20, lambda n: robot(MJCF % ("<custom>" + "<text/>" * (n - 6) + "</custom>", "")), "more than 1048576 elements"),
    ("attributes of an XML element", 256, lambda n: robot(MJCF % ("<custom %s/>" % " ".join(f"a{k}=\"\"" for k in range(n)), "")), "more than 256 attributes"),
    ("bytes of the name of an XML element", 200, lambda n: robot(MJCF % (f"<{'x' * n}/>", "")), "an element's name of more than 200 bytes"),
    ("bytes of the name of an XML attribute", 200, lambda n: robot(MJCF % (f"<custom {'x' * n}=\"\"/>", "")), "an attribute's name of more than 200 bytes"),
    ("bytes of an XML attribute", 16 << 20, lambda n: robot(MJCF % (f"<custom a=\"{'x' * n}\"/>", "")), "an attribute of more than 16 MiB"),
    ("files that an MJCF file includes", 256, included, "more than 256 files are included"),
    ("copies by `replicate` and `attach`", 1 << 17, replicated, "more than 131072 elements"),
    ("levels of attached MJCF models", 16, attached, "more than 16 levels deep"),
    ("files that an SDF file includes", 256, sdf_included, "more than 256 files"),
    ("SDF files inside each other", 32, sdf_nested, "32 deep"),
    ("columns of a table", 100000, lambda n: fitted(recording(n)), "more than 100000 columns"),
    ("bytes of a cell of a table", 255, lambda n: fitted(recording(digits=n - 2)), "is not a number"),
    ("rows of a table", 5000000, lambda n: fitted("t,x\n" + "0,0\n" * n), "at most 5000000 are read", "t runs from 0 back to 0"),
    ("bytes of a table", 256 << 20, lambda n: fitted(recording() + " " * (n - len(recording()))), "the file is larger than 268435456 bytes"),
)


def outcome(case):
    """Exit code and text of the command on a case."""
    args, files = case
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        done = subprocess.run([COMMAND, *args], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout + done.stderr


def wrong(limit, case, message, otherwise=None):
    """What does not hold of one row; None when all does."""
    code, text = outcome(case(limit))
    if message in text or (code != 0 if otherwise is None else code != 3 or otherwise not in text):
        return f"at the limit: exit {code}, {text[:400]}"
    code, text = outcome(case(limit + 1))
    if code not in (1, 2, 3) or message not in text:
        return f"beyond the limit: exit {code}, {text[:400]}"
    return None


def page_table():
    """The table of the page."""
    lines = ["| limit | most | message |", "| --- | ---: | --- |"]
    return "\n".join(lines + [f"| {what} | {limit:,} | {message} |" for what, limit, _, message, *_ in ROWS])


def main():
    failures = [f"{row[0]}: {found}" for row in ROWS if (found := wrong(*row[1:]))]
    for line in failures:
        print(line)
    path = os.path.join(ROOT, "docs", "problem_file.md")
    with open(path, encoding="utf-8") as file:
        page = file.read()
    block = re.compile(r"(<!-- limits: [^\n]*-->\n\n)(.*?)(\n\n<!-- end -->)", re.S)
    if sys.argv[3:] == ["--write"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(block.sub(lambda found: found[1] + page_table() + found[3], page))
    elif block.search(page)[2] != page_table():
        print("docs/problem_file.md: another table: run tests/docs/test_limits.py TRACTRIX . --write")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

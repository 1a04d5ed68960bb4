import Foundation
import TestSupport
import Testing

@Suite(
    "Running out of disk", .serialized,
    .enabled("SKIPPED: a full disk needs to mount a small file system, as root", SmallDisk.canBeMounted))
struct DiskTests {
    /// Runs the body with a sample whose state and log are on a disk of four megabytes.
    private func withSmallDisk(_ body: (Sample, SmallDisk) async throws -> Void) async throws {
        try await withSample(configuration: {
            $0.replacing("path: state/state.sqlite", with: "path: disk/state.sqlite")
        }) {
            sample in
            try await SmallDisk.mounted(at: sample.folder.appendingPathComponent("disk")) { disk in
                try await body(sample, disk)
            }
        }
    }

    private func launch(_ sample: Sample) -> ServerProcess.Launch {
        ServerProcess.Launch(
            "sh", ["-c", "exec \"$0\" serve 2>>disk/log", GatefoldProgram.path], in: sample.folder,
            until: .port(sample.port))
    }

    private func isGood(_ token: String, _ sample: Sample) async throws -> Bool {
        try await sample.state(of: token) == "active"
    }

    @Test(
        "readers go on, no end of a session is acknowledged that is not kept, and all is well when there is room again")
    func full() async throws {
        try await withSmallDisk { sample, disk in
            var ended: [String] = []
            var kept: [String] = []
            try await withServer(launch(sample)) { server in
                let before = try await sample.signIn(sample.newReader())
                #expect(try await sample.call("sign_out", ["token": before]).status == 200)
                ended.append(before)
                var tokens: [String] = []
                for _ in 0..<40 { tokens.append(try await sample.signIn(sample.newReader())) }
                try await disk.fill()

                // What needs nothing written goes on.
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                #expect(try await isGood(token, sample))
                let pair = try await sample.pair(token, Sample.third)
                #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 200)
                #expect(
                    try await sample.call("sign_in", ["email": Sample.ada.email, "password": "wrong"]).text.contains(
                        "notrecognised"))

                // What does is refused where it can not be written, and is then not in force.
                var refused = 0
                for token in tokens {
                    let answer = try await sample.call("sign_out", ["token": token])
                    if answer.status == 200 {
                        ended.append(token)
                        #expect(try await !isGood(token, sample))
                    } else {
                        refused += 1
                        #expect(answer.status == 503 && answer["Retry-After"] != nil, "\(answer)")
                        expectNoCache(answer, "sign_out")
                        kept.append(token)
                        #expect(try await isGood(token, sample))
                    }
                }
                #expect(refused > 0, "the disk was not full")
                let device = try await sample.call(
                    "sign_in", ["email": Sample.ada.email, "password": Sample.ada.password, "device": "new phone"])
                // The device is written down first, and where it can not be there is no token.
                if device.status == 503 {
                    #expect(device["Retry-After"] != nil && device.element("token") == nil, "\(device)")
                } else {
                    let counted = try #require(device.element("token"), "\(device)")
                    #expect(try await isGood(counted, sample))
                }
                expectNoCache(device, "sign_in from a device")
                let revoked = try await sample.gatefold(["token", "revoke", "--token", try #require(kept.last)])
                #expect(revoked.status != 0 && !revoked.errors.isEmpty)
                #expect(server.isRunning)
                #expect(
                    try await eventually(within: .seconds(2)) {
                        try await sample.http.send("GET", "/readyz").status == 503
                    })
                #expect(try await sample.admin.send("GET", "/readyz").text.contains("disk is full"))

                // There is room again: nothing needs to be started anew.
                try disk.empty()
                let last = try #require(kept.last)
                kept.removeLast()
                #expect(try await eventually { try await sample.call("sign_out", ["token": last]).status == 200 })
                ended.append(last)
                #expect(try await !isGood(last, sample))
                #expect(
                    try await eventually(within: .seconds(2)) {
                        try await sample.http.send("GET", "/readyz").status == 200
                    })
                let log = try String(contentsOf: disk.folder.appendingPathComponent("log"), encoding: .utf8)
                #expect(log.contains("log lines were lost"))
                server.send(SIGKILL)
            }
            // What was acknowledged outlives the process, and what was not has not happened.
            try await withServer(launch(sample)) { _ in
                for token in ended {
                    let isGood = try await isGood(token, sample)
                    #expect(!isGood)
                }
                for token in kept {
                    let isGood = try await isGood(token, sample)
                    #expect(isGood)
                }
            }
        }
    }

    @Test("a disk that can not be written at all is told at the start")
    func readOnly() async throws {
        try await withSmallDisk { sample, disk in
            let remounted = try await CommandRun.of("mount", ["-o", "remount,ro", disk.folder.path], in: sample.folder)
            try #require(remounted.status == 0, "\(remounted.errors)")
            let run = try await sample.gatefold(["serve"])
            #expect(run.status == 69 || run.status == 78, "\(run)")
            #expect(run.errors.contains("disk/state.sqlite"), "\(run.errors)")
        }
    }
}

/// Where nothing can be mounted: a file that may not grow is refused its next byte as on a full disk, with another error.
@Suite("Running out of room in a file", .serialized)
struct FileLimitTests {
    /// The state begins with a quarter of it.
    private static let limit = 1 << 20

    @Test("no end of a session is acknowledged that is not kept, and readers go on", .timeLimit(.minutes(10)))
    func limited() async throws {
        try await withSample(configuration: {
            $0.replacing("path: state/state.sqlite", with: "path: disk/state.sqlite")
        }) { sample in
            try FileManager.default.createDirectory(
                at: sample.folder.appendingPathComponent("disk"), withIntermediateDirectories: true)
            // The shell passes over the signal that would end the program, which then has an error as any other.
            let command = "trap '' XFSZ; exec prlimit --fsize=\(Self.limit):\(Self.limit) \"$0\" serve 2>/dev/null"
            let limited = ServerProcess.Launch(
                "sh", ["-c", command, GatefoldProgram.path], in: sample.folder, until: .port(sample.port))
            var ended: [String] = []
            var kept: [String] = []
            try await withServer(limited) { server in
                let reader = sample.newReader()
                for _ in 0..<400 where kept.count < 3 {
                    let token = try await sample.signIn(reader)
                    let answer = try await sample.call("sign_out", ["token": token])
                    if answer.status == 200 {
                        ended.append(token)
                    } else {
                        #expect(answer.status == 503 && answer["Retry-After"] != nil, "\(answer)")
                        expectNoCache(answer, "sign_out")
                        #expect(try await sample.state(of: token) == "active")
                        kept.append(token)
                    }
                }
                #expect(!kept.isEmpty, "the file could grow")
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                let pair = try await sample.pair(token, Sample.third)
                #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 200)
                #expect(server.isRunning)
                server.send(SIGKILL)
            }
            try await withServer(sample.launch) { _ in
                for token in ended {
                    let state = try await sample.state(of: token)
                    #expect(state != "active")
                }
                for token in kept {
                    let state = try await sample.state(of: token)
                    #expect(state == "active")
                }
            }
        }
    }
}

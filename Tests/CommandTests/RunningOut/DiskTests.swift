import Foundation
import TestSupport
import Testing

@Suite(
    "Full disk", .serialized,
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
        "Readers continue, only stored sign-outs are acknowledged, and the server recovers with free space")
    func full() async throws {
        try await withSmallDisk { sample, disk in
            var ended: [String] = []
            var acknowledged: [String] = []
            try await withServer(launch(sample)) { server in
                let before = try await sample.signIn(sample.newReader())
                #expect(try await sample.call("sign_out", ["token": before]).status == 200)
                ended.append(before)
                var tokens: [String] = []
                for _ in 0..<40 { tokens.append(try await sample.signIn(sample.newReader())) }
                try await disk.fill()

                // Requests that write nothing succeed.
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                #expect(try await isGood(token, sample))
                let pair = try await sample.pair(token, Sample.third)
                #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 200)
                #expect(
                    try await sample.call("sign_in", ["email": Sample.ada.email, "password": "wrong"]).text.contains(
                        "notrecognised"))

                // Requests that must write fail and have no effect.
                var rejected = 0
                for token in tokens {
                    let response = try await sample.call("sign_out", ["token": token])
                    if response.status == 200 {
                        ended.append(token)
                        #expect(try await !isGood(token, sample))
                    } else {
                        rejected += 1
                        #expect(response.status == 503 && response["Retry-After"] != nil, "\(response)")
                        expectNoCache(response, "sign_out")
                        acknowledged.append(token)
                        #expect(try await isGood(token, sample))
                    }
                }
                #expect(rejected > 0, "the disk was not full")
                let device = try await sample.call(
                    "sign_in", ["email": Sample.ada.email, "password": Sample.ada.password, "device": "new phone"])
                // The device is stored first, and without it there is no token.
                if device.status == 503 {
                    #expect(device["Retry-After"] != nil && device.element("token") == nil, "\(device)")
                } else {
                    let counted = try #require(device.element("token"), "\(device)")
                    #expect(try await isGood(counted, sample))
                }
                expectNoCache(device, "sign_in from a device")
                let revoked = try await sample.gatefold(["token", "revoke", "--token", try #require(acknowledged.last)])
                #expect(revoked.status != 0 && !revoked.errors.isEmpty)
                #expect(server.isRunning)
                #expect(
                    try await eventually(within: .seconds(2)) {
                        try await sample.http.send("GET", "/readyz").status == 503
                    })
                #expect(try await sample.admin.send("GET", "/readyz").text.contains("disk is full"))

                // There is room again, and nothing has to be restarted.
                try disk.empty()
                let last = try #require(acknowledged.last)
                acknowledged.removeLast()
                #expect(try await eventually { try await sample.call("sign_out", ["token": last]).status == 200 })
                ended.append(last)
                #expect(try await !isGood(last, sample))
                #expect(
                    try await eventually(within: .seconds(2)) {
                        try await sample.http.send("GET", "/readyz").status == 200
                    })
                let log = try String(contentsOf: disk.folder.appendingPathComponent("log"), encoding: .utf8)
                #expect(log.contains("Log lines lost"))
                server.send(SIGKILL)
            }
            // Acknowledged sign-outs survive the process, and rejected ones never happened.
            try await withServer(launch(sample)) { _ in
                for token in ended {
                    let isGood = try await isGood(token, sample)
                    #expect(!isGood)
                }
                for token in acknowledged {
                    let isGood = try await isGood(token, sample)
                    #expect(isGood)
                }
            }
        }
    }

    @Test("A read-only disk is reported at the start")
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

/// Tests without a mount: a file at its size limit rejects the next byte like a full disk, with another error.
@Suite("File size limit", .serialized)
struct FileLimitTests {
    /// The state starts at a quarter of it.
    private static let limit = 1 << 20

    @Test("Only stored sign-outs are acknowledged, and readers continue", .timeLimit(.minutes(10)))
    func limited() async throws {
        try await withSample(configuration: {
            $0.replacing("path: state/state.sqlite", with: "path: disk/state.sqlite")
        }) { sample in
            try FileManager.default.createDirectory(
                at: sample.folder.appendingPathComponent("disk"), withIntermediateDirectories: true)
            // The shell ignores the signal that would end the program, so the write fails with an error.
            let command = "trap '' XFSZ; exec prlimit --fsize=\(Self.limit):\(Self.limit) \"$0\" serve 2>/dev/null"
            let limited = ServerProcess.Launch(
                "sh", ["-c", command, GatefoldProgram.path], in: sample.folder, until: .port(sample.port))
            var ended: [String] = []
            var acknowledged: [String] = []
            try await withServer(limited) { server in
                let reader = sample.newReader()
                for _ in 0..<400 where acknowledged.count < 3 {
                    let token = try await sample.signIn(reader)
                    let response = try await sample.call("sign_out", ["token": token])
                    if response.status == 200 {
                        ended.append(token)
                    } else {
                        #expect(response.status == 503 && response["Retry-After"] != nil, "\(response)")
                        expectNoCache(response, "sign_out")
                        #expect(try await sample.state(of: token) == "active")
                        acknowledged.append(token)
                    }
                }
                #expect(!acknowledged.isEmpty, "the file could grow")
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
                for token in acknowledged {
                    let state = try await sample.state(of: token)
                    #expect(state == "active")
                }
            }
        }
    }
}

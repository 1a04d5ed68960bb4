import Foundation
import TestSupport
import Testing

@Suite("Exhausted file descriptors", .serialized)
struct DescriptorTests {
    /// Returns the launch of the program with a limit of open files.
    private func launch(_ sample: Sample, files: Int) -> ServerProcess.Launch {
        ServerProcess.Launch(
            "prlimit", ["--nofile=\(files):\(files)", GatefoldProgram.path, "serve"], in: sample.folder,
            until: sample.launch.readiness)
    }

    /// Holds idle connections while the body runs.
    private func withIdle(_ count: Int, at listeners: [RawHTTP], _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (opened, notify) = AsyncStream.makeStream(of: Int.self)
            for number in 0..<count * listeners.count {
                let listener = listeners[number / count]
                group.addTask {
                    // Notified even if the connection fails, because the wait would otherwise never end.
                    defer { notify.yield(number) }
                    try await listener.withConnection { connection in
                        notify.yield(number)
                        _ = try? await connection.read()
                    }
                }
            }
            var left = Set(0..<count * listeners.count)
            for await number in opened {
                left.remove(number)
                if left.isEmpty { break }
            }
            try await body()
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
        }
    }

    private static let form = "email=ada%40example.com&password=analytical+engine"
    private static let signIn =
        "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)"

    /// - Parameters:
    ///   - files: The limit.
    ///   - message: The text that the log must contain once.
    private func exhaustDescriptors(files: Int, until message: String) async throws {
        try await withSample { sample in
            try await withServer(launch(sample, files: files)) { server in
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                let pair = try await sample.pair(token, Sample.third)
                _ = try await sample.admin.send("GET", "/metrics")
                let began = ContinuousClock.now
                try await sample.http.withConnection { persistent in
                    try await persistent.send(Self.signIn)
                    #expect(try await persistent.readResponse().element("token") != nil)
                    try await withIdle(70, at: [sample.http, sample.admin]) {
                        #expect(try await eventually { server.output.contains(message) }, "\(server.output)")
                        // The server does not spin: two idle seconds use hardly any processor time.
                        let (start, before) = (ContinuousClock.now, try Torture.processorTime(of: server))
                        try await Task.sleep(for: .seconds(2))
                        let used = try Torture.processorTime(of: server) - before
                        // Two seconds are longer on a busy machine.
                        let time = (ContinuousClock.now - start) / Duration.seconds(1)
                        #expect(used < time / 2, "\(used) s of \(time) s")
                        // Open connections get responses.
                        for _ in 0..<5 {
                            try await persistent.send(Self.signIn)
                            #expect(try await persistent.readResponse().element("token") != nil)
                            try await persistent.send(
                                "GET /verify_subscription?token=\(token) HTTP/1.1\r\nHost: a\r\n\r\n")
                            #expect(try await persistent.readResponse().attribute("state") == "active")
                        }
                        try await persistent.send(
                            "GET /content/daily/\(Sample.third).zip HTTP/1.1\r\nHost: a\r\nAuthorization: \(pair)\r\n\r\n"
                        )
                        let download = try await persistent.readResponse()
                        #expect([200, 503].contains(download.status), "\(download.status)")
                    }
                }
                // All clients get responses after the idle ones left.
                #expect(try await eventually { try await sample.http.send("GET", "/healthz").status == 200 })
                #expect(try await eventually { try await sample.admin.send("GET", "/healthz").status == 200 })
                try await Torture.expectServing(sample)
                #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 200)
                #expect(server.isRunning)
                let lines = server.output.split(separator: "\n").count { $0.contains(message) }
                // The warning repeats after a minute, which a busy machine may need.
                let minutes = (ContinuousClock.now - began) / Duration.seconds(60)
                let limit = 2 + 2 * Int(minutes)
                #expect((1...limit).contains(lines), "once for each listener: \(lines)")
            }
        }
    }

    @Test("New connections wait in the kernel before descriptors run out, with a warning", .timeLimit(.minutes(10)))
    func budget() async throws {
        try await exhaustDescriptors(files: 320, until: "Connection limit reached")
    }

    @Test("Without free descriptors, new connections are not accepted, with a warning", .timeLimit(.minutes(10)))
    func none() async throws {
        // Databases, logs and event loops need about thirty, so the listeners get fewer than their default.
        try await exhaustDescriptors(files: 64, until: "Connections cannot be accepted")
    }

    @Test("Unread downloads do not block sign-ins and other downloads", .timeLimit(.minutes(10)))
    func downloads() async throws {
        try await withSample { sample in
            try sample.write("editions/daily/\(Sample.third).zip", [UInt8](repeating: 7, count: 16 << 20))
            try await withServer(launch(sample, files: 320)) { server in
                let pair = try await sample.pair(
                    try await sample.signIn(Sample.ada.email, Sample.ada.password), Sample.third)
                let get = "GET /content/daily/\(Sample.third).zip HTTP/1.1\r\nHost: a\r\nAuthorization: \(pair)\r\n\r\n"
                try await sample.http.withConnection { persistent in
                    try await persistent.send(Self.signIn)
                    #expect(try await persistent.readResponse().element("token") != nil)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<60 {
                            group.addTask {
                                try await sample.http.withConnection { connection in
                                    try await connection.send(get)
                                    try await Task.sleep(for: .seconds(300))
                                }
                            }
                        }
                        #expect(try await eventually { server.output.contains("Connection limit reached") })
                        for _ in 0..<5 {
                            try await persistent.send(Self.signIn)
                            #expect(try await persistent.readResponse().element("token") != nil)
                        }
                        group.cancelAll()
                        while let result = await group.nextResult() { _ = result }
                    }
                }
                try await Torture.expectServing(sample)
                #expect(try await sample.download("daily/\(Sample.third).zip", pair).body.count == 16 << 20)
            }
        }
    }
}

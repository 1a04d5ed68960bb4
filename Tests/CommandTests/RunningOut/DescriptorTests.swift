import Foundation
import TestSupport
import Testing

@Suite("Running out of descriptors", .serialized)
struct DescriptorTests {
    /// The program with so many files and connections that the system lets it have.
    private func launch(_ sample: Sample, files: Int) -> ServerProcess.Launch {
        ServerProcess.Launch(
            "prlimit", ["--nofile=\(files):\(files)", GatefoldProgram.path, "serve"], in: sample.folder,
            until: sample.launch.readiness)
    }

    /// Holds idle connections while the body runs.
    private func withIdle(_ count: Int, at listeners: [RawHTTP], _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (opened, tell) = AsyncStream.makeStream(of: Int.self)
            for number in 0..<count * listeners.count {
                let listener = listeners[number / count]
                group.addTask {
                    // Also of one that can not be opened: else it would be waited for without an end.
                    defer { tell.yield(number) }
                    try await listener.withConnection { connection in
                        tell.yield(number)
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
    ///   - files: the limit.
    ///   - words: what the log must say, once.
    private func starve(files: Int, until words: String) async throws {
        try await withSample { sample in
            try await withServer(launch(sample, files: files)) { server in
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                let pair = try await sample.pair(token, Sample.third)
                _ = try await sample.admin.send("GET", "/metrics")
                let began = ContinuousClock.now
                try await sample.http.withConnection { kept in
                    try await kept.send(Self.signIn)
                    #expect(try await kept.readAnswer().element("token") != nil)
                    try await withIdle(70, at: [sample.http, sample.admin]) {
                        #expect(try await eventually { server.output.contains(words) }, "\(server.output)")
                        // It does not spin: two seconds of nothing take hardly any of the processor.
                        let (start, before) = (ContinuousClock.now, try Torture.processorTime(of: server))
                        try await Task.sleep(for: .seconds(2))
                        let used = try Torture.processorTime(of: server) - before
                        // On a busy machine two seconds are longer.
                        let time = (ContinuousClock.now - start) / Duration.seconds(1)
                        #expect(used < time / 2, "\(used) s of \(time) s")
                        // Who is connected is answered.
                        for _ in 0..<5 {
                            try await kept.send(Self.signIn)
                            #expect(try await kept.readAnswer().element("token") != nil)
                            try await kept.send("GET /verify_subscription?token=\(token) HTTP/1.1\r\nHost: a\r\n\r\n")
                            #expect(try await kept.readAnswer().attribute("state") == "active")
                        }
                        try await kept.send(
                            "GET /content/daily/\(Sample.third).zip HTTP/1.1\r\nHost: a\r\nAuthorization: \(pair)\r\n\r\n"
                        )
                        let download = try await kept.readAnswer()
                        #expect([200, 503].contains(download.status), "\(download.status)")
                    }
                }
                // And everybody is, when they have left.
                #expect(try await eventually { try await sample.http.send("GET", "/healthz").status == 200 })
                #expect(try await eventually { try await sample.admin.send("GET", "/healthz").status == 200 })
                try await Torture.expectServing(sample)
                #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 200)
                #expect(server.isRunning)
                let lines = server.output.split(separator: "\n").count { $0.contains(words) }
                // Again after a minute, which a busy machine may take.
                let minutes = (ContinuousClock.now - began) / Duration.seconds(60)
                let most = 2 + 2 * Int(minutes)
                #expect((1...most).contains(lines), "once for each listener: \(lines)")
            }
        }
    }

    @Test("has connections wait in the kernel before there are none left, and says so", .timeLimit(.minutes(10)))
    func budget() async throws {
        try await starve(files: 320, until: "all places for connections are taken")
    }

    @Test("takes no more connections when there are none left, and says so", .timeLimit(.minutes(10)))
    func none() async throws {
        // Databases, logs and event loops have some thirty: the listeners may not take all that they would.
        try await starve(files: 64, until: "connections can not be taken")
    }

    @Test("by downloads that nobody reads leaves sign-in and the other downloads", .timeLimit(.minutes(10)))
    func downloads() async throws {
        try await withSample { sample in
            try sample.write("editions/daily/\(Sample.third).zip", [UInt8](repeating: 7, count: 16 << 20))
            try await withServer(launch(sample, files: 320)) { server in
                let pair = try await sample.pair(
                    try await sample.signIn(Sample.ada.email, Sample.ada.password), Sample.third)
                let get = "GET /content/daily/\(Sample.third).zip HTTP/1.1\r\nHost: a\r\nAuthorization: \(pair)\r\n\r\n"
                try await sample.http.withConnection { kept in
                    try await kept.send(Self.signIn)
                    #expect(try await kept.readAnswer().element("token") != nil)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<60 {
                            group.addTask {
                                try await sample.http.withConnection { connection in
                                    try await connection.send(get)
                                    try await Task.sleep(for: .seconds(300))
                                }
                            }
                        }
                        #expect(try await eventually { server.output.contains("all places for connections are taken") })
                        for _ in 0..<5 {
                            try await kept.send(Self.signIn)
                            #expect(try await kept.readAnswer().element("token") != nil)
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

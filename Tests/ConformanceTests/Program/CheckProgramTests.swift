import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing
import XML

@testable import Conformance

@Suite("gatefold check")
struct CheckProgramTests {
    @Test("exits with 0 for a compliant endpoint and writes the requested reports")
    func clean() async throws {
        try await withTemporaryFolder { folder in
            try await FakePublisherServer().serve { port in
                let run = try await GatefoldProgram.run(
                    [
                        "check", "http://127.0.0.1:\(port)/test", "--users", "test", "--rate", "1000", "--junit",
                        "report.xml", "--html", "report.html",
                    ], in: folder)
                #expect(run.status == 0, "\(run.output) \(run.errors)")
                #expect(run.output.contains("0 failed, 0 warning") && !run.output.contains("\u{1B}"))
                let junit = try Data(contentsOf: folder.appendingPathComponent("report.xml"))
                #expect(try XMLDocument(parsing: Array(junit)).root.name == "testsuites")
                let page = try String(contentsOf: folder.appendingPathComponent("report.html"), encoding: .utf8)
                #expect(page.hasPrefix("<!doctype html>"))
            }
        }
    }

    @Test("exits with 1 for a broken rule, and for a warning in strict mode")
    func findings() async throws {
        try await FakePublisherServer { _, response in response.set("Retry-After", nil) }.serve { port in
            let call = ["check", "http://127.0.0.1:\(port)/test", "--users", "test", "--rate", "1000"]
            #expect(try await GatefoldProgram.run(call).status == 0)
            let strict = try await GatefoldProgram.run(call + ["--strict", "--json"])
            #expect(strict.status == 1 && strict.output.contains("\"warning\":1"))
        }
        try await FakePublisherServer { _, response in response.set("ETag", "\"1\"") }.serve { port in
            let run = try await GatefoldProgram.run(["check", "http://127.0.0.1:\(port)/test", "--rate", "1000"])
            #expect(run.status == 1 && run.output.contains("FAILED  cache-validators"))
        }
    }

    @Test("exits with 2 if the server is unreachable or does not speak HTTP")
    func nothing() async throws {
        let run = try await GatefoldProgram.run(["check", "http://127.0.0.1:\(try FreePort.find())/test"])
        #expect(run.status == 2 && run.errors.contains("the connection was refused") && run.output == "")
        let nowhere = try await GatefoldProgram.run(["check", "http://nowhere.invalid/test"])
        #expect(nowhere.status == 2 && nowhere.errors.contains("no such host"), "\(nowhere.errors)")
        try await withScriptedHTTPServer(responding: { "SSH-2.0-OpenSSH_9.2\r\n" }) { port in
            let run = try await GatefoldProgram.run(["check", "http://127.0.0.1:\(port)/test"])
            #expect(run.status == 2 && run.errors.contains("not HTTP/1; does the server use https?"))
        }
        let plain = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(BadRequest()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(plain.localAddress?.port)
        let secure = try await GatefoldProgram.run(["check", "https://127.0.0.1:\(port)/test"])
        try await plain.close()
        #expect(secure.status == 2 && secure.errors.contains("no TLS connection; does the server use http?"))
    }

    @Test(
        "exits with 64 for invalid arguments",
        arguments: [
            [], ["nowhere"], ["http://a/?b=c"], ["http://a/", "--rate", "0"], ["http://a/", "--timing", "3"],
            ["http://a/", "--users", "all"], ["http://a/", "--content", "b"], ["http://a/", "--via-cache", "c"],
            ["http://127.0.0.1:1/", "--timing", "20"],
        ])
    func wrongCalls(arguments: [String]) async throws {
        let run = try await GatefoldProgram.run(["check"] + arguments)
        #expect(run.status == 64 && run.output == "" && !run.errors.isEmpty)
    }

    @Test("exits with 73 if a report cannot be written, and still prints the findings")
    func unwritten() async throws {
        try await FakePublisherServer().serve { port in
            for option in ["--junit", "--html"] {
                let run = try await GatefoldProgram.run(
                    ["check", "http://127.0.0.1:\(port)/test", "--rate", "1000", option, "/nowhere/report"])
                #expect(run.status == 73 && run.errors.contains("/nowhere/report was not written"))
                #expect(run.output.contains("0 failed"))
            }
        }
    }

    @Test("removes former reports if the check fails, and removes nothing that is not a file")
    func former() async throws {
        try await withTemporaryFolder { folder in
            for name in ["report.xml", "report.html"] { try Data("old".utf8).write(to: folder.appending(path: name)) }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "reports/kept"), withIntermediateDirectories: true)
            let port = try FreePort.find()
            for (junit, html) in [("report.xml", "report.html"), ("reports", "nowhere/report.html")] {
                let run = try await GatefoldProgram.run(
                    ["check", "http://127.0.0.1:\(port)/test", "--junit", junit, "--html", html], in: folder)
                #expect(run.status == 2)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left == ["reports"], "\(left)")
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "reports/kept").path))
        }
    }

    @Test("names the faulty line of the cases file, and missing or empty files")
    func files() async throws {
        try await withTemporaryFolder { folder in
            try Data("readers: {ada: {tokn: a}}\n".utf8).write(to: folder.appendingPathComponent("cases.yaml"))
            let cases = try await GatefoldProgram.run(["check", "http://a/", "--cases", "cases.yaml"], in: folder)
            #expect(cases.status == 78 && cases.errors.contains("cases.yaml:1"))
            try Data("# nobody yet\n".utf8).write(to: folder.appendingPathComponent("empty.yaml"))
            let nobody = try await GatefoldProgram.run(["check", "http://a/", "--cases", "empty.yaml"], in: folder)
            #expect(nobody.status == 78 && nobody.errors.contains("empty.yaml"), "\(nobody.status) \(nobody.errors)")
            for option in ["--cases", "--secret-file", "--ca"] {
                let run = try await GatefoldProgram.run(["check", "http://a/", option, "nowhere"], in: folder)
                #expect(run.status == 66, "\(option)")
            }
            try Data(" \n".utf8).write(to: folder.appendingPathComponent("secret"))
            let empty = try await GatefoldProgram.run(["check", "http://a/", "--secret-file", "secret"], in: folder)
            #expect(empty.status == 65 && empty.output == "" && empty.errors.contains("secret is empty"))
        }
    }
}

/// Responds to a TLS handshake as plain HTTP servers do.
private final class BadRequest: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let response = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        context.writeAndFlush(NIOAny(response), promise: nil)
    }
}

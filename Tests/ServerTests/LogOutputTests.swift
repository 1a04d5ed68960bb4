import Foundation
import TestSupport
import Testing

@testable import Server

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Log output")
struct LogOutputTests {
    private func withFile(_ path: String, _ body: (Int32) throws -> Void) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try body(descriptor)
    }

    private func lossReport(_ lost: Int) -> String { "\(lost) lost\n" }

    @Test("Writes every line")
    func lines() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("log")
            try withFile(file.path) { descriptor in
                let output = LogOutput(descriptor: descriptor)
                output.write("one\n", lossReport: lossReport)
                output.write("two\n", lossReport: lossReport)
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == "one\ntwo\n")
        }
    }

    @Test("Survives a full disk and reports the number of lost lines when there is room again")
    func full() async throws {
        try withFile("/dev/full") { full in
            let output = LogOutput(descriptor: full)
            output.write("one\n", lossReport: lossReport)
            output.write("two\n", lossReport: lossReport)
            try withTemporaryFile { path in
                try withFile(path) { file in
                    // The disk has room again.
                    try #require(dup2(file, full) == full)
                    output.write("three\n", lossReport: lossReport)
                    output.write("four\n", lossReport: lossReport)
                }
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "2 lost\nthree\nfour\n")
            }
        }
    }

    @Test("Starts a new line if the note on lost lines was written partially")
    func brokenRemark() throws {
        var ends: [Int32] = [0, 0]
        let isMade = pipe(&ends) == 0
        try #require(isMade)
        let (reader, writer) = (ends[0], ends[1])
        defer {
            close(reader)
            close(writer)
        }
        for end in [reader, writer] {
            let isSet = fcntl(end, F_SETFL, O_NONBLOCK) == 0
            try #require(isSet)
        }
        let filling = [UInt8](repeating: 0x78, count: 4096)
        while write(writer, filling, filling.count) > 0 {}
        let output = LogOutput(descriptor: writer)
        output.write("one\n", lossReport: lossReport)
        // There is room for a part of the next note.
        var bytes = [UInt8](repeating: 0, count: 8192)
        let made = read(reader, &bytes, bytes.count)
        try #require(made == bytes.count)
        output.write("two\n") { _ in String(repeating: "y", count: 60_000) + "\n" }
        while read(reader, &bytes, bytes.count) > 0 {}
        output.write("three\n", lossReport: lossReport)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "\n2 lost\nthree\n")
    }

    private func withTemporaryFile(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID())").path
        defer { unlink(path) }
        try body(path)
    }
}

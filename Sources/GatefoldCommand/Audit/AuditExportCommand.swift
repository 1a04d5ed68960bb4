import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the audit log as JSON Lines, oldest entry first.",
        discussion: """
            Each line is an entry with its hash and the hash of the entry before. A file is created with access for its \
            owner alone. Use --after with the number of the last exported entry to export the rest later.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Argument(help: "The file to create; - writes to standard output.", completion: .file())
    var file = "-"

    @Option(help: "Start after the entry with this number.")
    var after: Int64?

    func run() async throws {
        let store = try Bootstrap.existingStateStore(try configuration.read())
        if file == "-" {
            _ = try await write(store, to: .standardOutput)
            return
        }
        let handle = try PrivateOutput.create(file)
        do {
            let count = try await write(store, to: handle)
            try handle.synchronize()
            FileHandle.standardError.write(Data("\(count) entries written to \(file)\n".utf8))
        } catch {
            // A part of the log must not be taken for the log.
            try? FileManager.default.removeItem(atPath: file)
            throw error
        }
    }

    /// - Returns: The number of entries.
    private func write(_ log: any AuditLog, to handle: FileHandle) async throws -> Int {
        var (last, count) = (after, 0)
        while true {
            let page = try await log.page(AuditQuery(.oldestFirst(after: last), limit: AuditVerification.pageSize))
            let lines = try page.map { try AuditLine($0).json() + "\n" }
            try handle.write(contentsOf: Data(lines.joined().utf8))
            count += page.count
            last = page.last?.sequence ?? last
            if page.count < AuditVerification.pageSize { return count }
        }
    }
}

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
    var after: Int64 = 0

    func run() async throws {
        let store = try Bootstrap.existingStateStore(try configuration.read())
        let handle = try file == "-" ? FileHandle.standardOutput : PrivateOutput.create(file)
        var (last, count) = (after, 0)
        while true {
            let page = try await store.page(
                AuditQuery(.oldestFirst(after: last), limit: AuditVerification.pageSize))
            let lines = try page.map { try OutputOptions.encode(AuditLine($0)) + "\n" }
            try handle.write(contentsOf: Data(lines.joined().utf8))
            count += page.count
            last = page.last?.sequence ?? last
            if page.count < AuditVerification.pageSize { break }
        }
        if file != "-" {
            try handle.synchronize()
            FileHandle.standardError.write(Data("\(count) entries written to \(file)\n".utf8))
        }
    }
}

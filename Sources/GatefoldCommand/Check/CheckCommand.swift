import ArgumentParser
import Conformance
import Foundation
import NIOSSL
import Primitives
import Settings

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether a Pugpig endpoint meets the requirements of apps and caches.",
        discussion: """
            Signs in as the readers of --cases or --users, sends the requests of an app and malformed ones, and judges \
            each response by rules, each with its source. The command reads no configuration and prints no tokens or \
            passwords.
            The requests change nothing except by sign-in and renewal. Eight sign-ins use unknown names. If their \
            rejection differs from that of a wrong password, two more follow. A wrong password is sent once, and only \
            for readers whom --cases or --users allow it for.
            Exit statuses: 0 if no rule is broken, 1 if a rule is broken, 2 if nothing could be checked, 64 for wrong \
            arguments, 65 for an empty secret file, 66 for an unreadable file, 73 for a report that cannot be written, \
            78 for an invalid file of cases.
            """)

    @OptionGroup var cases: CheckCasesOptions
    @OptionGroup var limits: CheckLimitsOptions
    @OptionGroup var reports: CheckReportOptions

    @Argument(
        help:
            "The URL of the endpoint, to which the names of the calls are appended, such as https://example.com/daily.")
    var url: String

    func run() async throws {
        let root = try Address.argument(url, "URL")
        if root.query != nil {
            throw CommandFailure(.usage, "expected a URL without a query; write the address of each call into --cases")
        }
        let options = try limits.options()
        let known = try cases.read()
        if options.timedPairs > 0, !known.hasWrongProof {
            throw CommandFailure(
                .usage,
                "--timing requires a reader for wrong passwords: wrong_proof in --cases, or --users test")
        }
        let endpoint = Endpoint(root: root, own: known.calls)
        let checkRun = CheckRun(endpoint: endpoint, cases: known, options: options) { stage in
            if isatty(2) == 1 { FileHandle.standardError.write(Data("Checking \(stage)…\n".utf8)) }
        }
        reports.removePreviousReport()
        let report: CheckReport
        do {
            report = try await checkRun.run()
        } catch let failure as CheckRun.CheckFailure {
            throw CommandFailure(.nothingChecked, failure.description)
        }
        try reports.write(report)
        if !report.isClean(isStrict: reports.strict) { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}

/// The options with the known facts about the endpoint.
struct CheckCasesOptions: ParsableArguments {
    @Option(
        help: "A YAML file of readers with the expected responses.",
        completion: .file(extensions: ["yaml", "yml"]))
    var cases: String?

    @Option(help: "A built-in list of readers. The only value is test, for the test users.")
    var users: String?

    @Option(
        help: "A file with the secret of edition passwords, to verify the passwords.", completion: .file())
    var secretFile: String?

    @Option(help: "The URL of a file behind the gate, with the id of its edition in the path.")
    var content: String?

    func read() throws -> CheckCases {
        var read = CheckCases()
        if let cases {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: cases, isDirectory: &isFolder), !isFolder.boolValue,
                FileManager.default.isReadableFile(atPath: cases)
            else { throw CommandFailure(.noInput, "cannot read \(cases)") }
            read = try CheckCases(
                try YAMLSettings.read(path: cases, environment: ProcessInfo.processInfo.environment))
        }
        switch users {
        case nil: break
        case "test":
            let names = Set(read.readers.map(\.name))
            read.readers += CheckCases.testUsers.filter { !names.contains($0.name) }
        default: throw CommandFailure(.usage, "expected --users test")
        }
        if let secretFile {
            guard let data = FileManager.default.contents(atPath: secretFile) else {
                throw CommandFailure(.noInput, "cannot read \(secretFile)")
            }
            var bytes = Array(data)
            while let last = bytes.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { bytes.removeLast() }
            if bytes.isEmpty { throw CommandFailure(.dataError, "\(secretFile) is empty") }
            read.secret = Secret(bytes)
        }
        if let content { read.content = try Address.argument(content, "--content") }
        return read
    }
}

/// The options for the requests to the endpoint.
struct CheckLimitsOptions: ParsableArguments {
    @Option(help: "The maximum number of requests per second, 1 to 1000.")
    var rate: Int = 5

    @Option(
        help: "The number of pairs of wrong sign-ins whose times are compared, 20 to 10000 for each reader.")
    var timing: Int = 0

    @Option(
        help: "The URL of the same endpoint through a shared cache, which must not mix two readers.")
    var viaCache: String?

    @Option(help: "A PEM file of certificates to trust in place of the system's.", completion: .file())
    var ca: String?

    @Flag(help: "Sign readers in even if the certificate is not trusted.")
    var insecure = false

    func options() throws -> CheckOptions {
        guard (1...1000).contains(rate) else { throw CommandFailure(.usage, "expected --rate from 1 to 1000") }
        guard timing == 0 || (20...10_000).contains(timing) else {
            throw CommandFailure(.usage, "expected --timing from 20 to 10000")
        }
        var options = CheckOptions()
        options.requestsPerSecond = Double(rate)
        options.timedPairs = timing
        options.isInsecure = insecure
        options.through = try viaCache.map { try Address.argument($0, "--via-cache") }
        if let ca {
            guard let roots = try? NIOSSLCertificate.fromPEMFile(ca), !roots.isEmpty else {
                throw CommandFailure(.noInput, "expected certificates in PEM in \(ca)")
            }
            options.roots = roots
        }
        return options
    }
}

/// The options for the output of the report.
struct CheckReportOptions: ParsableArguments {
    @OptionGroup var output: OutputOptions

    @Option(help: "The file for the report as JUnit XML.", completion: .file())
    var junit: String?

    @Option(help: "The file for the report as an HTML page.", completion: .file())
    var html: String?

    @Flag(help: "Count a warning as a broken rule.")
    var strict = false

    func write(_ report: CheckReport) throws {
        let hasColour = isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        try output.print(report, text: report.table(hasColour: hasColour))
        if let junit { try Self.write(Data(report.junit(isStrict: strict)), to: junit) }
        if let html { try Self.write(Data(report.html.utf8), to: html) }
    }

    /// Removes the reports of an earlier check, so that they are not mistaken for this one's if this check fails.
    func removePreviousReport() {
        for path in [junit, html].compactMap(\.self) {
            let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            if kind == .typeRegular { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    private static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure(.cannotCreate, "\(path) was not written")
        }
    }
}

extension Address {
    fileprivate static func argument(_ text: String, _ name: String) throws -> Address {
        guard let address = Address(text) else {
            throw CommandFailure(
                .usage,
                "expected an http or https URL without a user and a fragment as \(name), such as https://example.com/")
        }
        return address
    }
}

import ArgumentParser
import Conformance
import Foundation
import Gatefold
import NIOSSL
import Settings

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a Pugpig endpoint, of Gatefold or of anybody else, for what apps and caches need.",
        discussion: """
            Signs in as the readers of --cases or --users, asks what apps ask and what no app would, and judges every \
            answer by rules, each with its source. No configuration is read, and no tokens or passwords are shown.
            Nothing is changed but what signing in and renewing change. Eight sign-ins are of nobody, two more where these \
            are answered otherwise than a wrong password; one is of each real reader whom --cases or --users name for it.
            Exit statuses: 0 when no rule is broken, 1 when one is, 2 when nothing could be checked, 64 for a wrong call, \
            65 for a file with an empty secret, 66 for a file that can not be read, 73 for a report that can not be \
            written, 78 for a file of cases that can not be used.
            """)

    @OptionGroup var cases: CheckCasesOptions
    @OptionGroup var limits: CheckLimitsOptions
    @OptionGroup var reports: CheckReportOptions

    @Argument(help: "The endpoint below which the calls are, such as https://example.com/daily.")
    var url: String

    func run() async throws {
        let root = try Address.argument(url, "URL")
        if root.query != nil {
            throw CommandFailure(.usage, "expected a URL without a query; name each call in --cases")
        }
        let options = try limits.options()
        let known = try cases.read()
        if options.timedPairs > 0, !known.hasWrongProof {
            throw CommandFailure(
                .usage,
                "--timing needs a reader to be tried with a wrong password: wrong_proof in --cases, or --users test")
        }
        let endpoint = Endpoint(root: root, own: known.calls)
        let checkup = Checkup(endpoint: endpoint, cases: known, options: options) { stage in
            if isatty(2) == 1 { FileHandle.standardError.write(Data("checking \(stage)…\n".utf8)) }
        }
        reports.removeFormer()
        let report: CheckReport
        do {
            report = try await checkup.run()
        } catch let failure as Checkup.CouldNotCheck {
            throw CommandFailure(.nothingChecked, failure.description)
        }
        try reports.write(report)
        if !report.isClean(isStrict: reports.strict) { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }
}

/// What is known about the endpoint.
struct CheckCasesOptions: ParsableArguments {
    @Option(
        help: "A YAML file of readers, with what they should be answered.",
        completion: .file(extensions: ["yaml", "yml"]))
    var cases: String?

    @Option(help: "Readers that are known without a file: test, for the test users.")
    var users: String?

    @Option(
        help: "A file with the secret of edition passwords, so that these are checked.", completion: .file())
    var secretFile: String?

    @Option(help: "The address of a file behind the gate, with its edition's name in the path.")
    var content: String?

    func read() throws -> CheckCases {
        var read = CheckCases()
        if let cases {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: cases, isDirectory: &isFolder), !isFolder.boolValue,
                FileManager.default.isReadableFile(atPath: cases)
            else { throw CommandFailure(.noInput, "can not read \(cases)") }
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
                throw CommandFailure(.noInput, "can not read \(secretFile)")
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

/// How the endpoint is asked.
struct CheckLimitsOptions: ParsableArguments {
    @Option(help: "Requests a second.")
    var rate: Int = 5

    @Option(
        help: "Pairs of wrong sign-ins whose times are compared, 20 at least, for each reader who is named for it.")
    var timing: Int = 0

    @Option(help: "The same endpoint by way of a shared cache, which must not mix two readers.")
    var through: String?

    @Option(help: "A file of certificates to trust in place of the machine's, in PEM.", completion: .file())
    var ca: String?

    @Flag(help: "Sign readers in also where the certificate is not trusted.")
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
        options.through = try through.map { try Address.argument($0, "--through") }
        if let ca {
            guard let roots = try? NIOSSLCertificate.fromPEMFile(ca), !roots.isEmpty else {
                throw CommandFailure(.noInput, "expected certificates in PEM in \(ca)")
            }
            options.roots = roots
        }
        return options
    }
}

/// Where the report goes.
struct CheckReportOptions: ParsableArguments {
    @OptionGroup var output: OutputOptions

    @Option(help: "Also write the report for continuous integration here, as JUnit XML.", completion: .file())
    var junit: String?

    @Option(help: "Also write the report as a page here.", completion: .file())
    var html: String?

    @Flag(help: "Have a warning count as a broken rule.")
    var strict = false

    func write(_ report: CheckReport) throws {
        let hasColour = isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        try output.print(report, text: report.table(hasColour: hasColour))
        if let junit { try Self.write(Data(report.junit(isStrict: strict)), to: junit) }
        if let html { try Self.write(Data(report.html.utf8), to: html) }
    }

    /// So that nobody takes a former check's for this one's, should this one come to no report.
    func removeFormer() {
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

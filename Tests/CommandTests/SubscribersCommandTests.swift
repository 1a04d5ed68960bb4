import Foundation
import TestSupport
import Testing

@Suite("gatefold subscribers", .serialized)
struct SubscribersCommandTests {
    private struct Shown: Decodable, Equatable {
        struct Category: Decodable, Equatable {
            let scheme, value: String
        }
        let identifier, state, currentState: String
        let hasPassword, allEditions: Bool
        let message: String?
        let editions: [String]
        let categories: [Category]
    }

    private struct Imported: Decodable {
        struct Issue: Decodable {
            let line: Int
            let column: String?
            let reason: String
        }
        let committed: Bool
        let rows, added, replaced, removed, badRows: Int
        let issues: [Issue]
    }

    private func show(_ sample: Sample, _ identifier: String) async throws -> Shown {
        let json = try await sample.succeed(["subscribers", "show", "-b", "house", "--json", identifier])
        return try JSONDecoder().decode(Shown.self, from: Data(json.utf8))
    }

    @Test("Lists bad rows by line and reason and changes nothing")
    func badRows() async throws {
        try await withSample { sample in
            try sample.write(
                "bad.csv",
                """
                email,password,state,periods,editions
                one@example.com,secret one,active,,
                ,secret two,active,,
                three@example.com,secret three,asleep,,
                four@example.com,secret four,active,yesterday,
                "five@example.com
                and more",secret five,active,,
                six@example.com,secret six,active,,no:colon
                one@example.com,secret seven,active,,
                eight@example.com,secret eight

                """)
            let command = ["subscribers", "import", "bad.csv", "-b", "house", "--identifier-column", "email"]
            let run = try await sample.gatefold(command)
            #expect(run.status == 65)
            #expect(run.output == "8 rows read, 7 bad: nothing was changed\n")
            let lines = run.errorLines.compactMap {
                $0.firstMatch(of: /^bad\.csv: line ([0-9]+)(, column [a-z]+)?: .+/)
            }
            #expect(lines.map { String($0.1) } == ["3", "4", "5", "6", "8", "9", "10"], "\(run.errors)")
            // The report must not repeat the readers' data.
            #expect(!run.errors.contains("secret") && !run.errors.contains("example.com"))
            #expect(try await sample.gatefold(["subscribers", "show", "one@example.com", "-b", "house"]).status == 1)

            let json = try await sample.gatefold(command + ["--json"])
            let report = try JSONDecoder().decode(Imported.self, from: Data(json.output.utf8))
            #expect(json.status == 65)
            #expect(!report.committed)
            #expect(report.badRows == 7 && report.issues.count == 7)
            #expect(report.issues[1].column == "state")

            let resumed = try await sample.gatefold(command + ["--resumable", "--json"])
            #expect(resumed.status == 65)
            #expect(try JSONDecoder().decode(Imported.self, from: Data(resumed.output.utf8)).added == 1)
            #expect(try await show(sample, "one@example.com").state == "active")
        }
    }

    @Test("A missing file exits with status 66, an unreadable header with 65")
    func badFiles() async throws {
        try await withSample { sample in
            let missing = try await sample.gatefold(["subscribers", "import", "none.csv", "-b", "house"])
            #expect(missing.status == 66)
            #expect(missing.errorLines.count == 1 && missing.errors.contains("none.csv"))
            for header in [
                "", "email,colour\n", "state\n", "identifier,identifier\n", "identifier,password,password_hash\n",
            ] {
                try sample.write("header.csv", header)
                let run = try await sample.gatefold(["subscribers", "import", "header.csv", "-b", "house"])
                #expect(run.status == 65, "\(header)")
                #expect(run.errorLines.count == 1, "\(run.errors)")
                #expect(run.errors.contains("--identifier-column") == header.contains("email"))
            }
        }
    }

    @Test("`show`, `list`, `set-state` and `delete` work on the database")
    func inspectAfter() async throws {
        try await withSample { sample in
            #expect(try await show(sample, "ADA@example.com").currentState == "active")
            let text = try await sample.succeed(["subscribers", "show", "-b", "house", "grace@example.com"])
            #expect(text.contains("state       automatic, currently inactive"))
            #expect(text.contains("period      2019-01-01T00:00:00Z to 2020-02-15"))
            #expect(!text.contains("$y$"))

            let all = try await sample.succeed(["subscribers", "list", "-b", "house"])
            let lines = all.split(separator: "\n")
            #expect(lines.count == 4 + Sample.Reader.highestNumber)
            #expect(lines == lines.sorted())
            #expect(lines.first == "ada@example.com\tautomatic\tactive")
            let page = try await sample.succeed(
                ["subscribers", "list", "-b", "house", "--after", "ada@example.com", "--limit", "2", "--json"])
            let shown = try page.split(separator: "\n").map {
                try JSONDecoder().decode(Shown.self, from: Data($0.utf8))
            }
            #expect(shown.map(\.identifier) == ["alan@example.com", "edsger@example.com"])

            #expect(
                try await sample.succeed(
                    ["subscribers", "set-state", "ada@example.com", "suspended", "-b", "house", "--message", "Ring us"]
                ) == "")
            #expect(try await show(sample, "ada@example.com").message == "Ring us")
            let suspended = try await sample.succeed(["subscribers", "list", "-b", "house", "--state", "suspended"])
            #expect(suspended.split(separator: "\n").count == 2)

            #expect(try await sample.succeed(["subscribers", "delete", "ada@example.com", "-b", "house"]) == "")
            for command in [
                ["show", "ada@example.com"], ["delete", "ada@example.com"], ["set-state", "ada@example.com", "active"],
            ] {
                let run = try await sample.gatefold(["subscribers"] + command + ["-b", "house"])
                #expect(run.status == 1)
                #expect(run.errors == "gatefold: no such subscriber\n")
            }
        }
    }

    @Test("Requires the database name where there are two")
    func databases() async throws {
        try await withSample { sample in
            let run = try await sample.gatefold(["subscribers", "list"])
            #expect(run.status == 64)
            #expect(run.errors == "gatefold: expected --backend, one of house, other\n")
            #expect(try await sample.gatefold(["subscribers", "list", "-b", "made-up"]).status == 64)
            try sample.configure { $0.replacing("state/house.sqlite", with: "house.csv/house.sqlite") }
            #expect(try await sample.gatefold(["subscribers", "list", "-b", "house"]).status == 69)
        }
    }

    @Test("An export imported into an empty database reproduces the subscribers with passwords")
    func roundTrip() async throws {
        try await withSample { sample in
            try sample.write(
                "more.csv",
                """
                identifier,password,state,message,all_editions,periods,editions,categories
                =1+1@example.com,"-quoted "" comma, word",inactive,"=HYPERLINK(""x"") & <b>",true,2020-01-01/,a;b,plan#1=x
                élan@example.com,naïve,suspended,"two
                lines",false,2020-01-01/2020-12-31;2022-01-01/,,plan=a

                """)
            try await sample.succeed(["subscribers", "import", "more.csv", "-b", "house"])
            let exported = try await sample.succeed(["subscribers", "export", "-", "-b", "house"])
            try await sample.succeed(["subscribers", "export", "export.csv", "-b", "house"])
            let file = sample.folder.appendingPathComponent("export.csv")
            #expect(try String(contentsOf: file, encoding: .utf8) == exported)
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
            let again = try await sample.gatefold(["subscribers", "export", "export.csv", "-b", "house"])
            #expect(again.status == 73)

            let before = try await sample.succeed(["subscribers", "list", "-b", "house", "--json"])
            try sample.configure { $0.replacing("state/house.sqlite", with: "state/copy.sqlite") }
            try await sample.succeed(["subscribers", "import", "export.csv", "-b", "house"])
            #expect(try await sample.succeed(["subscribers", "export", "-", "-b", "house"]) == exported)
            #expect(try await sample.succeed(["subscribers", "list", "-b", "house", "--json"]) == before)
            try await withServer(sample.launch) { _ in
                _ = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                let token = try await sample.signIn("élan@example.com", "naïve")
                let state = try await sample.state(of: token)
                #expect(state == "suspended")
            }
        }
    }

    @Test("`--replace` removes subscribers that are not in the file, and rejects an empty file")
    func replace() async throws {
        try await withSample { sample in
            try sample.write("nobody.csv", "identifier\n")
            let nobody = try await sample.gatefold(["subscribers", "import", "nobody.csv", "-b", "house", "--replace"])
            #expect(nobody.status == 65)
            try sample.write("some.csv", "identifier,state\nada@example.com,active\nnew@example.com,active\n")
            let output = try await sample.succeed(
                ["subscribers", "import", "some.csv", "-b", "house", "--replace", "--json"])
            let report = try JSONDecoder().decode(Imported.self, from: Data(output.utf8))
            #expect(report.added == 1 && report.replaced == 1 && report.removed == 3 + Sample.Reader.highestNumber)
        }
    }
}

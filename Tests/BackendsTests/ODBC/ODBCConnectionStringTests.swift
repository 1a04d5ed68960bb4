import TestSupport
import Testing

@testable import ODBC

@Suite("ODBC connection strings") struct ODBCConnectionStringTests {
    @Test("Plain values are written as they are, others in braces with closing braces doubled")
    func forms() throws {
        let string = try ODBCConnectionString([
            (name: "DRIVER", value: "MariaDB Unicode"), (name: "DATABASE", value: "/srv/readers (old)=1.db"),
            (name: "UID", value: ""), (name: "PWD", value: "a;b}c{d=e"), (name: "X", value: " led by a space"),
        ])
        #expect(
            string.text
                == "DRIVER=MariaDB Unicode;DATABASE=/srv/readers (old)=1.db;UID=;PWD={a;b}}c{d=e};X={ led by a space}")
    }

    @Test("Any value is read back as the value of its own attribute, without further attributes")
    func property() throws {
        var random = SeededRandom(seed: 0x0DBC)
        let specialCharacters: [Unicode.Scalar] = [
            ";", "{", "}", "=", " ", "\u{301}", "é", "😀", "'", "P", "W", "D", "\u{A0}",
        ]
        for _ in 0..<10_000 {
            func text() -> String {
                var view = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0...12, using: &random) {
                    view.append(specialCharacters[Int.random(in: 0..<specialCharacters.count, using: &random)])
                }
                return String(view)
            }
            let (user, password) = (text(), text())
            let string = try ODBCConnectionString([
                (name: "DRIVER", value: "x"), (name: "UID", value: user), (name: "PWD", value: password),
                (name: "PORT", value: "3306"),
            ])
            let read = Self.parse(string.text)
            #expect(read.map(\.0) == ["DRIVER", "UID", "PWD", "PORT"])
            guard read.count == 4 else { return }
            #expect(Array(read[1].1.unicodeScalars) == Array(user.unicodeScalars))
            #expect(Array(read[2].1.unicodeScalars) == Array(password.unicodeScalars))
        }
    }

    /// Parses by the grammar of SQLDriverConnect: a value in braces ends at a `}` that is not doubled, any other at a
    /// `;`, and white space around the latter is not part of it.
    private static func parse(_ text: String) -> [(String, String)] {
        var rest = Array(text.unicodeScalars)[...]
        var found: [(String, String)] = []
        func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return String(view)
        }
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" }
            rest = rest.dropFirst(name.count + 1)
            var value: [Unicode.Scalar] = []
            if rest.first == "{" {
                rest.removeFirst()
                while let scalar = rest.popFirst() {
                    if scalar == "}" {
                        guard rest.first == "}" else { break }
                        rest.removeFirst()
                    }
                    value.append(scalar)
                }
            } else {
                value = Array(rest.prefix { $0 != ";" })
                rest = rest.dropFirst(value.count)
                while value.first?.properties.isWhitespace == true { value.removeFirst() }
                while value.last?.properties.isWhitespace == true { value.removeLast() }
            }
            found.append((string(name), string(value)))
            rest = rest.dropFirst()
        }
        return found
    }

    @Test("Names and values that no connection string can carry are rejected")
    func rejected() {
        for name in ["", "A;B", "A=B", "A{", " A", "A ", "Ä", "A\u{301}", "A\n"] {
            #expect(throws: ODBCConnectionStringError.badName(name)) {
                _ = try ODBCConnectionString([(name: name, value: "x")])
            }
        }
        for value in ["a\u{0}b", "a\nb", "\u{7F}"] {
            #expect(throws: ODBCConnectionStringError.badValue("PWD")) {
                _ = try ODBCConnectionString([(name: "PWD", value: value)])
            }
        }
        #expect(throws: ODBCConnectionStringError.tooLong) {
            _ = try ODBCConnectionString([(name: "PWD", value: String(repeating: "x", count: 9_000))])
        }
    }
}

import XML

/// The documents of the calls in RELAX NG: their elements and attributes. What may stand in them is the business of other
/// rules, which can say better what is wrong.
package struct PugpigSchemas {
    private let byCall: [Call: RelaxNGSchema]

    package init() throws {
        let token = try RelaxNGSchema(Self.token)
        byCall = [
            .signIn: token, .renewToken: token, .verifySubscription: try RelaxNGSchema(Self.subscription),
            .editionCredentials: try RelaxNGSchema(Self.credentials),
        ]
    }

    /// What is wrong with the document of a call; empty when nothing is.
    ///
    /// - Throws: `XMLError` when the bytes are no document at all.
    package func errors(in bytes: [UInt8], of call: Call) throws -> [String] {
        guard let schema = byCall[call] else { return [] }
        guard let closed = Self.closed[call] else { return try schema.errors(in: bytes) }
        return try schema.errors(in: bytes) { name, namespace in !(namespace.isEmpty && closed.contains(name)) }
    }

    /// Where the schema lets other elements stand beside those of the protocol: the latter.
    private static let closed: [Call: Set<String>] = [
        .signIn: [XMLElement.dovetailToken], .renewToken: [XMLElement.dovetailToken],
        .editionCredentials: ["userid", "password", "header", "error"],
    ]

    private static let error = """
        <define name="error">
          <element name="error">
            <optional><attribute name="status"/></optional>
            <optional><attribute name="message"/></optional>
            <text/>
          </element>
        </define>
        """

    private static func grammar(_ start: String, _ more: String = "") -> String {
        """
        <grammar xmlns="http://relaxng.org/ns/structure/1.0">
        <start>\(start)</start>
        \(error)\(more.isEmpty ? "" : "\n" + more)
        </grammar>
        """
    }

    /// Of sign-in and renewal. Dovetail's answer may have anything of its own beside the token (PROTOCOLS 1.4).
    package static let token = grammar(
        """
        <choice>
          <element name="token"><optional><attribute name="global_auth_password"/></optional><text/></element>
          <element name="result_response">
            <interleave>
              <element name="authToken"><text/></element>
              <zeroOrMore><ref name="other"/></zeroOrMore>
            </interleave>
          </element>
          <ref name="error"/>
        </choice>
        """,
        """
        <define name="other">
          <element>
            <anyName><except><name>authToken</name></except></anyName>
            <zeroOrMore><choice><attribute><anyName/></attribute><text/><ref name="other"/></choice></zeroOrMore>
          </element>
        </define>
        """)

    /// Of a verification. Readers of `term` and of `value` exist, so a category has one of them or both (PROTOCOLS 6A row 1).
    package static let subscription = grammar(
        """
        <element name="subscription">
          <attribute name="state"/>
          <optional><attribute name="message"/></optional>
          <interleave>
            <optional>
              <element name="userinfo">
                <zeroOrMore>
                  <element name="category">
                    <attribute name="scheme"/>
                    <choice>
                      <attribute name="term"/>
                      <attribute name="value"/>
                      <group><attribute name="term"/><attribute name="value"/></group>
                    </choice>
                    <empty/>
                  </element>
                </zeroOrMore>
              </element>
            </optional>
            <optional>
              <element name="issues"><zeroOrMore><element name="issue"><text/></element></zeroOrMore></element>
            </optional>
          </interleave>
        </element>
        """)

    /// Of edition credentials. Apps look for the elements by their names, so that these may have any order, and others may stand
    /// beside them (PROTOCOLS 1.2 and 1.4). A bare error as the root is read here, and judged by a rule of its own.
    package static let credentials = grammar(
        """
        <choice>
          <element name="credentials">
            <choice>
              <interleave>
                <element name="userid"><text/></element>
                <element name="password"><text/></element>
                <zeroOrMore><element name="header"><attribute name="name"/><text/></element></zeroOrMore>
                <zeroOrMore><ref name="extra"/></zeroOrMore>
              </interleave>
              <ref name="error"/>
            </choice>
          </element>
          <ref name="error"/>
        </choice>
        """,
        """
        <define name="extra">
          <element>
            <anyName><except><name>userid</name><name>password</name><name>header</name><name>error</name></except></anyName>
            <ref name="anything"/>
          </element>
        </define>
        <define name="anything">
          <zeroOrMore>
            <choice>
              <attribute><anyName/></attribute>
              <text/>
              <element><anyName/><ref name="anything"/></element>
            </choice>
          </zeroOrMore>
        </define>
        """)
}

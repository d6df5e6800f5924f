//! What the parser offers to whoever reads values: serde's side of it.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::json_parser::{JsonError, Parser, Result, wrong};

impl<'de> Deserializer<'de> for &mut Parser<'_, '_> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            b'"' => visitor.visit_str(self.string(false)?),
            b'{' => {
                self.enter()?;
                let value = visitor.visit_map(Items { parser: self, first: true })?;
                self.leave(b'}')?;
                Ok(value)
            }
            b'[' => {
                self.enter()?;
                let value = visitor.visit_seq(Items { parser: self, first: true })?;
                self.leave(b']')?;
                Ok(value)
            }
            b't' => self.word(b"true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self.word(b"false").and_then(|()| visitor.visit_bool(false)),
            b'n' => self.word(b"null").and_then(|()| visitor.visit_unit()),
            b'-' | b'0'..=b'9' => self.visit_number(visitor),
            _ => Err(wrong("expected value")),
        }
    }

    /// Text in which a lone surrogate does no harm.
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            b'"' => visitor.visit_str(self.string(true)?),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            b'n' => self.word(b"null").and_then(|()| visitor.visit_none()),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.pass()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier
    }
}

/// The items of an open list, or the entries of an open object.
struct Items<'p, 'a, 'i> {
    parser: &'p mut Parser<'a, 'i>,
    first: bool,
}

impl Items<'_, '_, '_> {
    /// Whether another one follows.
    #[inline]
    fn more(&mut self, close: u8) -> Result<bool> {
        let byte = self.parser.next()?;
        if byte == close {
            return Ok(false);
        }
        if !std::mem::take(&mut self.first) {
            self.parser.expect(b',')?;
            if self.parser.next()? == close {
                return Err(wrong("trailing comma"));
            }
        }
        Ok(true)
    }
}

impl<'de> SeqAccess<'de> for Items<'_, '_, '_> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        match self.more(b']')? {
            true => seed.deserialize(&mut *self.parser).map(Some),
            false => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for Items<'_, '_, '_> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.more(b'}')? {
            return Ok(None);
        }
        match self.parser.next()? {
            b'"' => seed.deserialize(&mut *self.parser).map(Some),
            _ => Err(wrong("key must be a string")),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        self.parser.expect(b':')?;
        seed.deserialize(&mut *self.parser)
    }
}
